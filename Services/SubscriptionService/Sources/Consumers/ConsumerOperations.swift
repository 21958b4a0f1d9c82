internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// The operators' operations `consumers.grant`, `consumers.list` and `consumers.revoke`. A grant determines for which
/// zones a consumer may request past notifications. `zonda consumer` creates the consumers' broker users.
struct ConsumerOperations: Sendable {
    /// The maximum number of consumers in a page.
    private static let maxPage = 1000
    /// The number of consumers in a page if the request gives no limit.
    private static let defaultPage = 200

    let table: ConsumerTable

    /// `consumers.grant`. A repeated request saves the same grant again, so requests are not recorded.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func grant(_ request: OpenedRequest) async throws -> Answer {
        let grant = try ConsumerGrant(JSONValue(parsing: request.delivery.body))
        let grantedAt = try await table.save(grant)
        return Answer { $0.members(of: GrantedConsumer(grant: grant, grantedAt: grantedAt)) }
    }

    /// `consumers.revoke`.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func revoke(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let name = body["consumer"]?.string else { throw ServerError.missingKey("consumer") }
        let consumer = try ConsumerName(validating: name)
        // Also succeeds if there is no grant, because the request may be a repeat.
        let existed = try await table.remove(consumer)
        return Answer { writer in
            writer.member("consumer", consumer.rawValue)
            writer.member("revoked", existed)
        }
    }

    /// `consumers.list`.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let limit = Int(body["limit"]?.int ?? Int64(Self.defaultPage))
        guard (1...Self.maxPage).contains(limit) else {
            throw ServerError.tooMany("consumers", limit: Self.maxPage, actual: limit)
        }
        let consumers = try await table.list(after: body["after"]?.string ?? "", limit: limit + 1)
        return Answer { writer in
            writer.key("consumers")
            writer.array(consumers.prefix(limit)) { writer, consumer in
                writer.object { $0.members(of: consumer) }
            }
            if consumers.count > limit { writer.member("after", consumers[limit - 1].grant.consumer.rawValue) }
        }
    }
}

extension WireWriter {
    /// Writes a grant's members and `grantedAt`.
    fileprivate mutating func members(of consumer: GrantedConsumer) {
        for member in consumer.grant.json.members ?? [] {
            key(member.key)
            value(member.value)
        }
        member("grantedAt", consumer.grantedAt)
    }
}
