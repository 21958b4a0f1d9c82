import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Walks the records of a query, page by page.
struct QueryFeed: Sendable {
    private let requester: any Requester
    private let limit: Duration
    private let pageSize: Int?
    private var request: QueryRecordsRequest
    private var rest: Int?
    private var told: Set<String> = []
    /// What the services said of the query, each once, since ``takeWarnings()``.
    private var warnings: [String] = []
    /// Whether there may be records after the last page.
    private(set) var hasMore = true

    /// The records of `request`.
    ///
    /// - Parameters:
    ///   - count: The most records; nil is all.
    ///   - pageSize: The most records of a page; nil leaves it to the service.
    ///   - limit: The longest wait for a page.
    init(
        requester: any Requester, _ request: QueryRecordsRequest, count: Int?, pageSize: Int?, limit: Duration
    ) {
        self.requester = requester
        self.request = request
        self.pageSize = pageSize
        self.limit = limit
        rest = count
    }

    /// The next page's records, or nil after the last page. A page may be empty.
    ///
    /// - Throws: the failure of the request.
    mutating func nextPage() async throws(RequestFailure) -> [JSONValue]? {
        guard hasMore, rest != 0 else { return nil }
        request.resultsLimit = [pageSize, rest].compactMap { $0 }.min()
        var writer = WireWriter()
        writer.queryRecords(request)
        let answer = try await requester.ask(Request(.recordsQuery, body: writer.bytes), limit: limit).json()
        let marker = answer["continuationMarker"]?.string
        guard marker == nil || marker != request.continuationMarker else {
            throw .unanswered(reason: "the pages of the query do not move on")
        }
        request.continuationMarker = marker
        warnings += answer.warnings.filter { told.insert($0).inserted }
        let found = answer["records"]?.array ?? []
        let records = found.prefix(rest ?? found.count)
        hasMore = marker != nil || records.count < found.count
        rest = rest.map { $0 - records.count }
        return Array(records)
    }

    /// What was not taken before.
    mutating func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }
}

extension JSONValue {
    /// The `warnings` of an answer: what its query lacks.
    var warnings: [String] { (self["warnings"]?.array ?? []).compactMap(\.string) }
}
