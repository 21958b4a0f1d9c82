import CloudKitModel
package import CloudKitWire
package import ServiceMessages

extension Requester {
    /// Asks and reads the answer as a tree.
    ///
    /// - Throws: `.refused` when the request as a whole failed, `.unanswered` also when the answer cannot be read.
    package func ask(
        _ operation: ServiceMessages.Operation, _ body: JSONValue, limit: Duration
    ) async throws(RequestFailure) -> JSONValue {
        try await ask(Request(operation, body: body.encoded()), limit: limit).json()
    }
}

extension Answer {
    /// The answer's tree.
    ///
    /// - Throws: `.refused` when the request as a whole failed, `.unanswered` when the answer cannot be read.
    package func json() throws(RequestFailure) -> JSONValue {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: body)
        } catch {
            throw .unanswered(reason: "the answer of status \(status) cannot be read: \(error.reason)")
        }
        guard !isGood else { return json }
        throw .refused(
            RequestFailure.Refusal(json)
                ?? RequestFailure.Refusal(code: "STATUS_\(status)", reason: "the service answered status \(status)"))
    }
}
