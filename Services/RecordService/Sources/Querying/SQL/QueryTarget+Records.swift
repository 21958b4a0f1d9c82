internal import PostgresClient
internal import RecordStorage

/// The records that the user can see, as SQL.
extension QueryTarget {
    /// Returns the `from` and `where` clauses of a statement that reads, as `r`, the visible records of zones.
    ///
    /// - Parameters:
    ///   - zone: the right side of the comparison with the column `zone`.
    ///   - conditions: the other conditions.
    func records(in zone: String, where conditions: [String], _ builder: inout SQLBuilder) -> String {
        let place = "environment = \(environment.rawValue) and zone = \(zone)"
        let rest = conditions.joined(separator: " and ")
        switch visibility {
        case .all: return "\(environment.recordTable) r where \(place) and \(rest)"
        case .large(let shares):
            let members = "share = any(\(Self.bind(shares, &builder)))\(isBelowRoot("r"))"
            return "\(environment.recordTable) r where \(place) and \(members) and \(rest)"
        case .members(let shares):
            // `offset 0` prevents PostgreSQL from finding the records by another index.
            return """
                unnest(\(Self.bind(shares, &builder))) as a(of_share) cross join lateral (
                    select * from \(environment.recordTable) m
                    where \(place) and share = a.of_share\(isBelowRoot("m")) offset 0) r
                where \(rest)
                """
        }
    }

    /// Returns the condition that the members of shares have not left them.
    private func isBelowRoot(_ row: String) -> String {
        moves == .leaving ? " and \(MembershipTable.isBelowRoot(row, in: environment))" : ""
    }

    /// Returns the condition that restricts records that are read by key to the visible ones. `row` is the alias of the
    /// record's table.
    func isVisible(_ row: String, _ builder: inout SQLBuilder) -> String {
        switch visibility {
        case .all: ""
        case .members(let shares), .large(let shares):
            " and share = any(\(Self.bind(shares, &builder)))\(isBelowRoot(row))"
        }
    }

    private static func bind(_ shares: [ShareID], _ builder: inout SQLBuilder) -> String {
        builder.bind(.int8Array(shares.map(\.rawValue))) + "::int8[]"
    }
}
