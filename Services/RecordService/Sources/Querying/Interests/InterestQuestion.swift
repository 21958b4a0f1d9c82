internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import ServiceMessages

/// An element of `queries` in the body of `interests.set`, as far as it can be read.
struct InterestQuestion: Sendable {
    /// What is asked for, or why it cannot be read.
    let query: Result<Query, ServerError>
    /// The record type that it names; empty: none.
    private(set) var recordType = ""
    /// The only zone that it is about.
    private(set) var zoneID: ZoneID?

    /// Reads `{query, zoneID?}`, which is a body of `records.query` but for what makes pages.
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
