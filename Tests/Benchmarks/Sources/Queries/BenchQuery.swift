internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import ServiceMessages

/// A query in two forms: as a request to the service, and as hand-written SQL by somebody who knows the records.
struct BenchQuery: Sendable {
    /// The name of the query on the command line.
    let name: String
    /// The record type.
    let recordType: String
    /// The filter; nil for none.
    var filter: JSONValue?
    /// The field by which records are sorted in descending order; nil to sort by record name.
    var sort: String?
    /// The number of records in a page; nil to query only the number of records.
    var limit: Int?
    /// The hand-written statement for a table; nil if there is none.
    var statement: (@Sendable (BareTable) -> PostgresCall)?

    /// The queries by name.
    static let all =
        packages + [
            // The records of `zonda-limits fill`. Many have the same number.
            BenchQuery(
                name: "load", recordType: LoadShape.recordType, filter: filter("EQUALS", "n", .int(3), "INT64"),
                limit: 100),
            BenchQuery(
                name: "numbers", recordType: LoadShape.recordType,
                filter: filter("GREATER_THAN_OR_EQUALS", "n", .int(0), "INT64"), limit: 100),
        ]

    /// Returns the query with a name.
    ///
    /// - Throws: ``LimitFailure`` if there is none.
    static func named(_ name: String) throws -> BenchQuery {
        guard let query = all.first(where: { $0.name == name }) else { throw LimitFailure("there is no query \(name)") }
        return query
    }

    /// The queries for the list of Debian's packages.
    static let packages = [
        page("equality", filter("EQUALS", "maintainer", .string(maintainer))) { table in
            ("\(table.value("maintainer")) = $1", .text(maintainer))
        },
        page("prefix", filter("BEGINS_WITH", "homepage", .string("https://pypi."))) { table in
            let homepage = table.value("homepage")
            return ("\(homepage) >= $1 and \(homepage) < 'https://pypi/'", .text("https://pypi."))
        },
        page("substring", filter("CONTAINS", "description", .string("SQLite"), options: "c"), isGathered: true) {
            table in
            (table.contains(in: "description"), .text("%sqlite%"))
        },
        page("words", filter("CONTAINS_ALL_TOKENS", nil, .string("Web server"))) { _ in
            ("tokens @> $1", .textArray(["web", "server"]))
        },
        page("list", filter("LIST_CONTAINS", "dependencies", .string(dependency)), isGathered: true) { table in
            table.has(dependency, in: "dependencies")
        },
        BenchQuery(name: "sort", recordType: recordType, sort: "installedSize", limit: 100) { table in
            let size = table.value("installedSize", .int64)
            return PostgresCall(
                PostgresStatement(
                    """
                    select \(table.answered) from \(table.source) and \(size) is not null
                    order by \(size) desc, name desc limit 101
                    """))
        },
        BenchQuery(name: "count", recordType: recordType, filter: filter("EQUALS", "section", .string("libdevel"))) {
            PostgresCall(
                PostgresStatement("select count(*) from \($0.source) and \($0.value("section")) = $1"),
                [.text("libdevel")])
        },
    ]

    /// The record type of a package.
    static let recordType = "Package"

    private static let maintainer = "Thorsten Alteholz <debian@alteholz.de>"
    private static let dependency = "python3-dbus"
    /// The number of records in a page of an unsorted query.
    private static let pageCount = 20

    private static func page(
        _ name: String, _ filter: JSONValue, isGathered: Bool = false,
        _ condition: @escaping @Sendable (BareTable) -> (sql: String, parameter: PostgresParameter)
    ) -> BenchQuery {
        BenchQuery(name: name, recordType: recordType, filter: filter, limit: pageCount) { table in
            let condition = condition(table)
            // The records are collected first and then sorted. Otherwise, PostgreSQL would examine each record in the
            // order of names to find texts that contain something.
            let sql = """
                select * from (
                    select \(table.answered) from \(table.source) and \(condition.sql)\(isGathered ? " offset 0" : "")
                ) p order by name limit \(pageCount + 1)
                """
            return PostgresCall(PostgresStatement(sql), [condition.parameter])
        }
    }

    private static func filter(
        _ comparator: String, _ field: String?, _ value: JSONValue, _ type: String = "STRING", options: String? = nil
    ) -> JSONValue {
        var members: [JSONValue.Member] = [.init("comparator", .string(comparator))]
        if let field { members.append(.init("fieldName", .string(field))) }
        members.append(.init("fieldValue", .object([.init("value", value), .init("type", .string(type))])))
        if let options { members.append(.init("options", .string(options))) }
        return .object(members)
    }

    /// The service's operation.
    var operation: Operation { limit == nil ? .recordsAggregate : .recordsQuery }

    /// Returns the body of the request.
    ///
    /// - Parameters:
    ///   - owner: the owner of the zone, in a request of a participant; nil in a request of the owner.
    ///   - marker: the marker of the previous page.
    func body(zone: String, owner: String? = nil, marker: String? = nil) -> [UInt8] {
        var query: [JSONValue.Member] = [.init("recordType", .string(recordType))]
        if let filter { query.append(.init("filterBy", .array([filter]))) }
        if let sort { query.append(.init("sortBy", [["fieldName": .string(sort), "ascending": false]])) }
        var zoneID: [JSONValue.Member] = [.init("zoneName", .string(zone))]
        if let owner { zoneID.append(.init("ownerRecordName", .string(owner))) }
        var body: [JSONValue.Member] = [.init("zoneID", .object(zoneID)), .init("query", .object(query))]
        if let limit { body.append(.init("resultsLimit", .int(Int64(limit)))) }
        if let marker { body.append(.init("continuationMarker", .string(marker))) }
        return JSONValue.object(body).encoded()
    }
}
