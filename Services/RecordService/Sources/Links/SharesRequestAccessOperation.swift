internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import RequestServing

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
    /// - Throws: `BAD_REQUEST` or any error that ``LinkWriter/change(_:_:_:_:)`` throws.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let items = try ShortGUIDsRequest(decoding: request.delivery.body).items
        let outcome = try await writer.change(items, request, .requestAccess) { link, entrance, caller in
            // A user with a one-time link does not need to request access.
            guard entrance.oneTime == nil else { return nil }
            var share = WireShare()
            share.accessRequest = WireShare.AccessRequest(
                link: link, caller: caller, maxRequesters: limits.maxRequesters)
            return share
        }
        var answer = Answer { writer in
            writer.key("results")
            writer.array(zip(items, outcome.errors)) { writer, result in
                let (item, error) = result
                if let error {
                    writer.itemError(error, shortGUID: item)
                } else {
                    writer.object { $0.shortGUID(item) }
                }
            }
        }
        let failures = outcome.errors.compactMap(\.self)
        if failures.count == items.count { answer.failure = failures.first }
        answer.events = outcome.events
        return answer
    }
}
