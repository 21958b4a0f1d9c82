import CloudKitWire
import CommandLineSession

/// The peak resident memory of services, by the URLs of their metrics.
struct PeakMemory: Sendable {
    /// The memory in bytes; nil if it is unknown.
    var bytes: [(service: String, bytes: Int?)] = []

    /// Reads the memory of the services in `ZONDA_METRICS_URLS`, whose URLs are separated by spaces or commas.
    static func ofServices() async -> PeakMemory {
        var peak = PeakMemory()
        for url in (GlobalOptions.variable("ZONDA_METRICS_URLS") ?? "").split(whereSeparator: {
            $0 == "," || $0.isWhitespace
        }) {
            peak.bytes.append((String(url), await MetricsProbe.peakBytes(url: String(url))))
        }
        return peak
    }

    /// The memory as an object, with null if it is unknown.
    var json: JSONValue { .object(having: bytes.map { ($0.service, .count($0.bytes)) }) }

    /// One row for each service.
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
