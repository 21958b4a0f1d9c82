import CloudKitWire
import CommandLineSession

/// The services' peak resident memory, by the address of each one's metrics.
struct PeakMemory: Sendable {
    /// Bytes; nil where none was told.
    var bytes: [(service: String, bytes: Int?)] = []

    /// Asks the services in `ZONDA_METRICS_URLS`, which are separated by spaces or commas.
    static func ofServices() async -> PeakMemory {
        var peak = PeakMemory()
        for url in (GlobalOptions.variable("ZONDA_METRICS_URLS") ?? "").split(whereSeparator: {
            $0 == "," || $0.isWhitespace
        }) {
            peak.bytes.append((String(url), await MetricsProbe.peakBytes(url: String(url))))
        }
        return peak
    }

    /// An object, null where none was told.
    var json: JSONValue { .object(having: bytes.map { ($0.service, .count($0.bytes)) }) }

    /// A row for each service.
    func add(to table: inout TextTable) {
        for (service, bytes) in bytes {
            table.add("peak of \(service)", bytes.map { "\(($0 / 1_048_576).grouped) MiB" } ?? "unknown")
        }
    }
}

extension JSONValue {
    /// A count, or null for none.
    static func count(_ value: Int?) -> JSONValue { value.map { .int(Int64($0)) } ?? .null }
}
