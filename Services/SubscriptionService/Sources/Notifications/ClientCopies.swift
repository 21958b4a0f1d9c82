internal import AMQPClient

/// A message's headers must fit into one frame, which has no room for the names of all clients that a user can have.
extension AMQPMessage {
    /// The maximum number of clients that one notification names. A routing key takes 44 bytes of the frame.
    static let maxNamedClients = 200

    /// The notification, followed by copies for the clients that its `BCC` header cannot name. A copy is routed only to
    /// its clients. Usually, no copies are needed.
    var withCopies: [AMQPMessage] {
        guard case .array(let clients)? = properties.headers["BCC"], clients.count > Self.maxNamedClients else {
            return [self]
        }
        var first = self
        first.properties.headers["BCC"] = .array(Array(clients.prefix(Self.maxNamedClients)))
        var messages = [first]
        var rest = clients.dropFirst(Self.maxNamedClients)
        while case .string(let key)? = rest.popFirst() {
            var copy = self
            copy.routingKey = key
            copy.properties.headers["BCC"] = .array(Array(rest.prefix(Self.maxNamedClients)))
            messages.append(copy)
            rest = rest.dropFirst(Self.maxNamedClients)
        }
        return messages
    }
}
