import AMQPClient
import ServiceMessages
import TestSupport

extension ModelClient {
    /// The maximum number of times that a message is sent again because the service asked for it.
    private static let maxRepeats = 5

    /// Sends copies of a message concurrently.
    ///
    /// - Parameters:
    ///   - fault: the failure that the service is to cause while it executes the message; nil for none.
    ///   - owner: the owner of the zone, if a participant sends the message.
    /// - Throws: an error if an answer does not arrive or is invalid.
    func send(
        _ message: ModelMessage, copies: Int = 1, fault: String? = nil, owner: String? = nil
    ) async throws -> [ModelExchange] {
        var sender = client.with(Header.client, .string(message.client))
        if message.isWeb { sender = sender.with(Header.interface, "web") }
        if let fault { sender = sender.with(Header.fault, .string(fault)) }
        let isShared = message.participant != nil
        if isShared {
            sender = sender.with(Header.database, .string(message.request.isAcceptance ? "public" : "shared"))
        }
        let (operation, body) = message.request.wire(owner: owner)
        return try await withThrowingTaskGroup(of: ModelExchange.self) { [sender] group in
            for _ in 0..<copies {
                group.addTask {
                    let sent = clock.tick()
                    var answer = try ModelAnswer(try await sender.ask(operation, body, messageID: message.id))
                    // A participant who gains access while a write is being refused is asked to send it again.
                    for _ in 0..<Self.maxRepeats where isShared && answer == .refused(.zoneBusy) {
                        answer = try ModelAnswer(try await sender.ask(operation, body, messageID: message.id))
                    }
                    return ModelExchange(
                        message: message, answer: isShared ? answer.withoutStamps : answer, sent: sent,
                        answered: clock.tick())
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
