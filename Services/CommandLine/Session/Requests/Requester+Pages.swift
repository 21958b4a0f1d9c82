package import CloudKitWire
package import ServiceMessages

extension Requester {
    /// Requests a list page by page.
    ///
    /// - Parameters:
    ///   - key: the member of the answer that contains the items.
    ///   - filter: the other members of the request.
    ///   - show: called for each item, in order.
    /// - Throws: as ``ask(_:_:limit:)``.
    package func pages(
        _ operation: ServiceMessages.Operation, _ key: String, filter: [(String, JSONValue?)] = [],
        limit: Duration = .requestLimit, _ show: (JSONValue) -> Void
    ) async throws(RequestFailure) {
        var after: JSONValue?
        repeat {
            let answer = try await ask(operation, .object(having: filter + [("after", after)]), limit: limit)
            for item in answer[key]?.array ?? [] { show(item) }
            after = answer["after"]
        } while after != nil
    }
}
