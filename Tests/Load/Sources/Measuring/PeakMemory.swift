import CloudKitWire
import CommandLineSession

/// The peak resident memory of services, identified by the URLs of their metrics.
struct PeakMemory: Sendable {
    /// The memory of each service, in bytes; nil if unknown.
    var bytes: [(service: String, bytes: Int?)] = []

    /// Reads the memory of the services whose URLs are in `ZONDA_METRICS_URLS`, separated by spaces or commas.
    static func ofServices() async -> PeakMemory {
        var peak = PeakMemory()
        for url in (GlobalOptions.variable("ZONDA_METRICS_URLS") ?? "").split(whereSeparator: {
            $0 == "," || $0.isWhitespace
        }) {
            peak.bytes.append((String(url), await MetricsProbe.peakBytes(url: String(url))))
        }
        return peak
    }

    /// The memory of each service as an object, with null if unknown.
    var json: JSONValue { .object(having: bytes.map { ($0.service, .count($0.bytes)) }) }

    /// Adds one row for each service.
    func add(to table: inout TextTable) {
        for (service, bytes) in bytes {
            table.add("peak of \(service)", bytes.map { "\(($0 / 1_048_576).grouped) MiB" } ?? "unknown")
        }
    }
}

extension JSONValue {
    /// Returns a count as JSON; null for nil.
    static func count(_ value: Int?) -> JSONValue { value.map { .int(Int64($0)) } ?? .null }
}
