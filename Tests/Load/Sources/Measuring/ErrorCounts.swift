import CloudKitWire
import CommandLineSession

/// The number of failures for each code, which is the service's or that of the ``RequestFailure``.
struct ErrorCounts: Sendable, Equatable {
    private var counts: [String: Int] = [:]

    /// Creates empty counts.
    init() {}

    /// Counts `count` failures.
    mutating func note(_ code: String, count: Int = 1) { counts[code, default: 0] += count }

    static func += (left: inout ErrorCounts, right: ErrorCounts) {
        left.counts.merge(right.counts, uniquingKeysWith: +)
    }

    /// The number of failures with a code.
    subscript(code: String) -> Int { counts[code] ?? 0 }

    /// The counts as an object.
    var json: JSONValue { .object(having: sorted.map { ($0, .count($1)) }) }

    /// Adds one row for each code.
    func add(to table: inout TextTable) {
        for (code, count) in sorted { table.add("  \(code)", count.grouped) }
    }

    private var sorted: [(String, Int)] { counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
