internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `shares.requestAccess`, which extends CloudKit's protocol: requests access to the shares to which links lead. Apple's
/// clients have `CKShareRequestAccessOperation` for this purpose.
///
/// The result for a short GUID has no members other than the short GUID. Repeating a request, or requesting access that
/// the user already has, changes nothing.
struct SharesRequestAccessOperation: Sendable {
    let writer: LinkWriter
    let limits: Limits

    /// Requests access to the shares, one after another, and answers with one result for each short GUID.
    ///
    /// - Throws: `BAD_REQUEST`, `AUTHENTICATION_REQUIRED`, or `PostgresError`, in particular when the lock of a zone is
    ///   not granted in time. Access to some of the shares might already have been requested; repeating the request is
    ///   safe.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try ShortGUIDsRequest(decoding: request.delivery.body)
        let caller = try LinkReader.caller(request.context)
        let targets = try await writer.links.targets(body.items, for: request.context)
        var events: [ChangeEvent] = []
        var errors: [ServerError?] = []
        for (position, item) in body.items.enumerated() {
            // A user with a one-time link does not need to request access.
            let target = targets[item.value].flatMap { $0.oneTime == nil ? $0 : nil }
            var share = WireShare()
            share.accessRequest = WireShare.AccessRequest(
                link: item.value, caller: caller, maxRequesters: limits.maxRequesters)
            errors.append(try await writer.change(target, share, request, position: position, &events))
        }
        var answer = Answer { [errors] writer in
            writer.key("results")
            writer.array(zip(body.items, errors)) { writer, result in
                let (item, error) = result
                if let error {
                    writer.itemError(error, shortGUID: item)
                } else {
                    writer.object { $0.shortGUID(item) }
                }
            }
        }
        let failures = errors.compactMap(\.self)
        if failures.count == errors.count { answer.failure = failures.first }
        answer.events = events
        return answer
    }
}
