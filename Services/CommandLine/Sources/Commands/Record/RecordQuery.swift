import ArgumentParser
import CloudKitQuery
import CloudKitWire
import CommandLineSession

/// `zonda record query`.
struct RecordQuery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Print the records that match a predicate.",
        discussion: """
            \(PredicateSpelling.help)

            System fields have the same names as in predicates: recordID, creationDate, modificationDate, \
            creatorUserRecordID, lastModifiedUserRecordID, parent. Without --sort, the records are sorted by name. \
            Warnings, for example about a missing index, are printed to standard error.

            EXAMPLES
              zonda record query --zone Notes --type Note "title BEGINSWITH 'M'"
              zonda record query --all-zones --type Note 'n > %d' 5 --sort n:desc
              zonda record query --type Shop --sort place:near=48.85,2.35 --limit 3
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: QueryOptions

    @Option(help: ArgumentHelp("\(Sort.spellings) May be repeated.", valueName: "field"), transform: Sort.parse)
    var sort: [Sort] = []

    @Option(help: "The maximum number of records to print; 0 for all.")
    var limit = 200

    @Option(help: "The fields to print, such as a,b. Default: all fields.")
    var keys: String?

    @Option(help: "The maximum number of records in an answer.")
    var pageSize: Int?

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must be at least 0") }
        if let pageSize, pageSize < 1 { throw ValidationError("--page-size must be at least 1") }
    }

    func run() async throws {
        let request = try await global.failing { try self.request(now: Moment.now) }
        try await global.withSession { session in
            let printer = RecordPrinter(global: global)
            guard try await find(request, session, show: printer.show, report: Console.report) else {
                throw ExitCode.failure
            }
        }
    }

    /// Returns the request for the first page.
    func request(now: Int64) throws -> QueryRecordsRequest {
        var request = QueryRecordsRequest(query: try options.query(sorts: sort, now: now), scope: options.scope)
        request.desiredKeys = keys.map { $0.split(separator: ",").map(String.init) }
        return request
    }

    /// Shows the records that match `request`, page by page.
    ///
    /// - Returns: false if any of the shown records is an error.
    func find(
        _ request: QueryRecordsRequest, _ requester: any Requester, show: (JSONValue) -> Bool,
        report: (String) -> Void
    ) async throws(RequestFailure) -> Bool {
        var feed = QueryFeed(
            requester: requester, request, count: limit == 0 ? nil : limit, pageSize: pageSize,
            limit: .requestLimit)
        var isGood = true
        while let page = try await feed.nextPage() {
            for warning in feed.takeWarnings() { report("warning: \(warning)") }
            for record in page { isGood = show(record) && isGood }
        }
        if feed.hasMore { report("more records match: increase --limit above \(limit), or set it to 0 for all") }
        return isGood
    }
}
