internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import ServiceMessages

/// An element of `queries` in the body of `interests.set`.
struct InterestQuestion: Sendable {
    /// The query, or the error if it is unreadable.
    let query: Result<Query, ServerError>
    /// The record type of the query; empty if it could not be read.
    private(set) var recordType = ""
    /// The only zone of the query; nil for all zones.
    private(set) var zoneID: ZoneID?

    /// Reads `{query, zoneID?}`, which is the body of a `records.query` request without the members for paging.
    init(_ element: JSONValue, for context: RequestContext) {
        do throws(ServerError) {
            let request = try QueryRecordsRequest(decoding: element.encoded())
            recordType = request.query.recordType
            if let zoneID = request.scope.zoneID { try ZoneAccess.check(zoneID, for: context) }
            zoneID = request.scope.zoneID
            query = .success(try Query(request.query))
        } catch {
            query = .failure(error)
        }
    }
}
