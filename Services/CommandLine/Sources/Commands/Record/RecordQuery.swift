import ArgumentParser
import CloudKitQuery
import CloudKitWire
import CommandLineSession

/// `zonda record query`.
struct RecordQuery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Print the records that a predicate finds.",
        discussion: """
            \(PredicateSpelling.help)

            Fields of every record are named as in predicates: recordID, creationDate, modificationDate, \
            creatorUserRecordID, lastModifiedUserRecordID, parent. Without --sort the order is that of the records' \
            names. What the query lacks, such as an index, is told on standard error.

            EXAMPLES
              zonda record query --zone Notes --type Note "title BEGINSWITH 'M'"
              zonda record query --all-zones --type Note 'n > %d' 5 --sort n:desc
              zonda record query --type Shop --sort place:near=48.85,2.35 --limit 3
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: QueryOptions

    @Option(help: ArgumentHelp("\(Sort.spellings) May be repeated.", valueName: "field"), transform: Sort.parse)
    var sort: [Sort] = []

    @Option(help: "The most records to print; 0 prints all.")
    var limit = 200

    @Option(help: "The fields to print, as a,b; all unless given.")
    var keys: String?

    @Option(help: "The most records in one answer.")
    var pageSize: Int?

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit is at least 0") }
        if let pageSize, pageSize < 1 { throw ValidationError("--page-size is at least 1") }
    }

    func run() async throws {
        let request = try await global.failing { try self.request(now: Moment.now) }
        try await global.withSession { session in
            let printer = RecordPrinter(global: global)
            guard try await find(request, session, show: printer.show, tell: Console.report) else {
                throw ExitCode.failure
            }
        }
    }

    /// The request for the first page.
    func request(now: Int64) throws -> QueryRecordsRequest {
        var request = QueryRecordsRequest(query: try options.query(sorts: sort, now: now), scope: options.scope)
        request.desiredKeys = keys.map { $0.split(separator: ",").map(String.init) }
        return request
    }

    /// Shows the records that `request` finds, page by page.
    ///
    /// - Returns: whether none of them is an error.
    func find(
        _ request: QueryRecordsRequest, _ requester: any Requester, show: (JSONValue) -> Bool, tell: (String) -> Void
    ) async throws(RequestFailure) -> Bool {
        var feed = QueryFeed(
            requester: requester, request, count: limit == 0 ? nil : limit, pageSize: pageSize,
            limit: .requestLimit)
        var isGood = true
        while let page = try await feed.nextPage() {
            for warning in feed.takeWarnings() { tell("warning: \(warning)") }
            for record in page { isGood = show(record) && isGood }
        }
        if feed.hasMore { tell("there are more: give a --limit above \(limit), or 0 for all") }
        return isGood
    }
}
