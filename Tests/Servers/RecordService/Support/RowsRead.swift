import CloudKitWire
import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

/// The rows that a statement reads.
struct RowsRead: CustomStringConvertible {
    /// The number of rows by index of a table; the empty string stands for the table itself.
    private(set) var indexes: [String: [String: Int]] = [:]

    /// Executes a statement and counts the rows that it reads.
    init(of call: PostgresCall, _ database: RecordDatabase) async throws {
        let rows = try await database.pool.withConnection { connection in
            try await connection.query(
                PostgresStatement("explain (analyze, format json) \(call.statement.sql)", isPrepared: false),
                call.parameters)
        }
        count(try JSONValue(parsing: try #require(rows.first?.jsonbIfPresent(0)))[0]?["Plan"] ?? .null)
    }

    private mutating func count(_ node: JSONValue) {
        if let table = node["Relation Name"]?.string {
            let loops = node["Actual Loops"]?.double ?? 0
            let count = (node["Actual Rows"]?.double ?? 0) + (node["Rows Removed by Filter"]?.double ?? 0)
            indexes[table, default: [:]][node["Index Name"]?.string ?? "", default: 0] += Int(count * loops)
        }
        for child in node["Plans"]?.array ?? [] { self.count(child) }
    }

    /// The number of rows that were read from a table.
    ///
    /// - Parameter index: an index through which rows are not counted.
    subscript(_ table: String, except index: String? = nil) -> Int {
        indexes[table]?.filter { $0.key != index }.values.reduce(0, +) ?? 0
    }

    var description: String { "\(indexes)" }
}
