internal import CloudKitWire
package import ServiceMessages

/// `consumers.grant`: grants zones to a consumer. The grant replaces any earlier grant.
package struct ConsumersGrantRequest: OperatorRequest {
    package typealias Answer = GrantedConsumer
    package static let operation = ServiceMessages.Operation.consumersGrant

    /// The grant.
    package var grant: ConsumerGrant

    /// Creates a request.
    package init(_ grant: ConsumerGrant) { self.grant = grant }

    /// Reads a request, which consists of the members of the grant.
    ///
    /// - Throws: the same errors as ``ConsumerGrant/init(_:)``.
    package init(from decoder: any Decoder) throws {
        grant = try ConsumerGrant(decoder.singleValueContainer().decode(JSONValue.self))
    }

    /// Encodes the members of the grant.
    package func encode(to encoder: any Encoder) throws { try grant.json.encode(to: encoder) }
}

/// Encodes and decodes a grant and its time as one object: the members of the grant, plus `grantedAt`.
extension GrantedConsumer: Codable {
    private enum CodingKeys: CodingKey {
        case grantedAt
    }

    /// Reads a grant and its time.
    ///
    /// - Throws: the same errors as ``ConsumerGrant/init(_:)``.
    package init(from decoder: any Decoder) throws {
        let time = try decoder.container(keyedBy: CodingKeys.self).decode(Int64.self, forKey: .grantedAt)
        self.init(
            grant: try ConsumerGrant(decoder.singleValueContainer().decode(JSONValue.self)), grantedAt: time)
    }

    /// Encodes the members of the grant, followed by its time.
    package func encode(to encoder: any Encoder) throws {
        try grant.json.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(grantedAt, forKey: .grantedAt)
    }
}

/// `consumers.list`: lists the consumers and their grants, ordered by consumer name.
package struct ConsumersListRequest: OperatorListRequest {
    package static let operation = ServiceMessages.Operation.consumersList
    package static let wrongKinds = WrongKinds.ignored

    /// The maximum number of consumers, from 1 to 1,000; nil means 200.
    package var limit: Int?
    /// The `after` of the preceding page; nil for the first page.
    package var after: String?

    /// Creates a request for the first page.
    package init() {}

    /// A page of consumers.
    package struct Answer: Codable, Sendable, OperatorPage {
        /// The consumers.
        package var consumers: [GrantedConsumer]
        /// The name after which the next page begins; nil for the last page.
        package var after: String?

        /// Creates an answer.
        package init(consumers: [GrantedConsumer], after: String?) {
            self.consumers = consumers
            self.after = after
        }
    }
}

/// `consumers.revoke`: revokes a consumer's grant.
package struct ConsumersRevokeRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.consumersRevoke
    package static let wrongKinds = WrongKinds.ignored

    /// The name of the consumer.
    package var consumer: String

    /// Creates a request.
    package init(consumer: String) { self.consumer = consumer }

    /// The result.
    package struct Answer: Codable, Sendable {
        /// The name of the consumer.
        package var consumer: String
        /// Whether the consumer had a grant.
        package var revoked: Bool

        /// Creates an answer.
        package init(consumer: String, revoked: Bool) {
            self.consumer = consumer
            self.revoked = revoked
        }
    }
}
