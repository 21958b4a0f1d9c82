import CloudKitWire
import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

extension RecordDatabase {
    /// The numbers of rows that a statement reads, including rows that it discards, by index; the empty string stands for
    /// reads without an index.
    ///
    /// - Parameter table: the table whose rows are counted; nil for all tables.
    func rowsRead(_ call: PostgresCall, of table: String? = nil) async throws -> [String: Int] {
        let rows = try await query(
            PostgresStatement("explain (analyze, format json) \(call.statement.sql)", isPrepared: false),
            call.parameters)
        var read: [String: Int] = [:]
        func collect(_ node: JSONValue) {
            if let name = node["Relation Name"]?.string, table == nil || name == table {
                let loops = node["Actual Loops"]?.double ?? 0
                let count = (node["Actual Rows"]?.double ?? 0) + (node["Rows Removed by Filter"]?.double ?? 0)
                read[node["Index Name"]?.string ?? "", default: 0] += Int(count * loops)
            }
            for child in node["Plans"]?.array ?? [] { collect(child) }
        }
        collect(try JSONValue(parsing: try #require(rows.first?.jsonbIfPresent(0)))[0]?["Plan"] ?? .null)
        return read
    }
}
