import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Reads the records of a query, page by page.
struct QueryFeed: Sendable {
    private let requester: any Requester
    private let limit: Duration
    private let pageSize: Int?
    private var request: QueryRecordsRequest
    private var rest: Int?
    private var seen: Set<String> = []
    /// The warnings received since the last ``takeWarnings()``, without duplicates.
    private var warnings: [String] = []
    /// Whether more records might follow the last page that was read.
    private(set) var hasMore = true

    /// Creates a feed of the records that match `request`.
    ///
    /// - Parameters:
    ///   - count: the maximum number of records; nil for all.
    ///   - pageSize: the maximum number of records in a page; nil for the service's default.
    ///   - limit: the maximum wait for a page.
    init(
        requester: any Requester, _ request: QueryRecordsRequest, count: Int?, pageSize: Int?, limit: Duration
    ) {
        self.requester = requester
        self.request = request
        self.pageSize = pageSize
        self.limit = limit
        rest = count
    }

    /// Reads the records of the next page; returns nil after the last page. A page may be empty.
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
            throw .unanswered(reason: "the query repeats its continuation marker")
        }
        request.continuationMarker = marker
        warnings += answer.warnings.filter { seen.insert($0).inserted }
        let found = answer["records"]?.array ?? []
        let records = found.prefix(rest ?? found.count)
        hasMore = marker != nil || records.count < found.count
        rest = rest.map { $0 - records.count }
        return Array(records)
    }

    /// Removes and returns the warnings.
    mutating func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }
}

extension JSONValue {
    /// The `warnings` in an answer, for example about a missing index.
    var warnings: [String] { (self["warnings"]?.array ?? []).compactMap(\.string) }
}
