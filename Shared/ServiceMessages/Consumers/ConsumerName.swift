package import CloudKitModel

/// The name of a durable notification consumer: 1 to 40 lower-case letters, digits, `-` and `_`.
///
/// A name contains no dot, so the ``queuePrefix`` of one consumer never begins with the prefix of another.
package struct ConsumerName: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a name, in bytes.
    package static let maxBytes = 40

    /// The name.
    package let rawValue: String

    /// Creates a name after validating it.
    ///
    /// - Throws: a `BAD_REQUEST` error that states the allowed form.
    package init(validating name: String) throws(ServerError) {
        let isSound = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isSound, (1...Self.maxBytes).contains(name.utf8.count) else {
            throw ServerError(
                .invalidValue,
                "A consumer name must consist of 1 to \(Self.maxBytes) lower-case letters, digits, '-' and '_'",
                field: "consumer", limit: Self.maxBytes, actual: name.utf8.count)
        }
        rawValue = name
    }

    /// Creates a name from a string that has already been validated.
    package init(unchecked name: String) { rawValue = name }

    /// The name prefix of the consumer's queues. The consumer's broker user may declare only queues with this prefix.
    package var queuePrefix: String { "\(Queue.consumers)\(rawValue)." }

    /// The queue that `zonda watch --name` uses.
    package var watchQueue: String { "\(queuePrefix)watch" }

    /// Returns the name of the consumer's broker user in a deployment whose operator's broker user is `deployment`.
    package func brokerUser(of deployment: String) -> String { "\(deployment)-consumer-\(rawValue)" }

    /// The name itself.
    package var description: String { rawValue }
}
