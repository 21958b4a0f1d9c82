import CloudKitModel
package import CloudKitWire
package import ServiceMessages

extension Requester {
    /// Sends a request and parses the answer.
    ///
    /// - Throws: `.refused` if the request as a whole failed; `.unanswered` if there is no valid answer.
    package func ask(
        _ operation: ServiceMessages.Operation, _ body: JSONValue, limit: Duration
    ) async throws(RequestFailure) -> JSONValue {
        try await ask(Request(operation, body: body.encoded()), limit: limit).json()
    }
}

extension Answer {
    /// Parses the answer.
    ///
    /// - Throws: `.refused` if the request as a whole failed; `.unanswered` if the answer is invalid.
    package func json() throws(RequestFailure) -> JSONValue {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: body)
        } catch {
            throw .unanswered(reason: "the answer with status \(status) is invalid: \(error.reason)")
        }
        guard !isGood else { return json }
        throw .refused(
            RequestFailure.Refusal(json)
                ?? RequestFailure.Refusal(
                    code: "STATUS_\(status)", reason: "the service answered with status \(status)"))
    }
}
