import CloudKitModel
import CloudKitWire
import ServiceMessages

extension Requester {
    /// Asks and reads the answer as a tree.
    ///
    /// - Throws: `.refused` when the request as a whole failed, `.unanswered` also when the answer cannot be read.
    func ask(
        _ operation: ServiceMessages.Operation, _ body: JSONValue, limit: Duration
    ) async throws(RequestFailure) -> JSONValue {
        let request = Request(operation, body: body.encoded())
        return try await ask(request, limit: limit).json().namingRequest(request.messageID)
    }
}

extension Answer {
    /// The answer's tree.
    ///
    /// - Throws: `.refused` when the request as a whole failed, `.unanswered` when the answer cannot be read.
    func json() throws(RequestFailure) -> JSONValue {
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

extension JSONValue {
    /// The same answer, whose failed items tell the request's id as a failed request does.
    func namingRequest(_ id: String) -> JSONValue {
        guard case .object(var members) = self else { return self }
        for index in members.indices where Self.itemKeys.contains(members[index].key) {
            guard case .array(let items) = members[index].value else { continue }
            members[index].value = .array(items.map { $0.naming(request: id) })
        }
        return .object(members)
    }

    private static let itemKeys: Set<String> = ["records", "zones", "subscriptions"]

    private func naming(request id: String) -> JSONValue {
        guard case .object(var members) = self, self["serverErrorCode"] != nil, self["uuid"] == nil else { return self }
        members.append(Member("uuid", .string(id)))
        return .object(members)
    }
}
