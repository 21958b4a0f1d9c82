import CloudKitModel
import CloudKitWire
package import OperatorMessages
import ServiceMessages

extension Requester {
    /// Sends an operator's request and reads the answer.
    ///
    /// - Throws: `.refused` if the request failed; `.unanswered` if there is no valid answer.
    package func ask<Body: OperatorRequest>(
        _ body: Body, limit: Duration = .requestLimit
    ) async throws(RequestFailure) -> Body.Answer {
        let answer = try await ask(Body.operation, JSONValue(encoding: body), limit: limit)
        do throws(ServerError) {
            return try answer.decoded(as: Body.Answer.self)
        } catch {
            throw .unanswered(reason: "the answer to \(Body.operation.rawValue) is invalid: \(error.reason)")
        }
    }

    /// Requests an operator's list page by page.
    ///
    /// - Parameters:
    ///   - body: the request for the first page.
    ///   - items: returns the items of a page.
    ///   - show: called for each item, in order.
    /// - Throws: the same errors as ``ask(_:limit:)``.
    package func pages<Body: OperatorListRequest, Item>(
        of body: Body, _ items: (Body.Answer) -> [Item], _ show: (Item) -> Void
    ) async throws(RequestFailure) {
        var body = body
        repeat {
            let page = try await ask(body)
            for item in items(page) { show(item) }
            body.after = page.after
        } while body.after != nil
    }
}
