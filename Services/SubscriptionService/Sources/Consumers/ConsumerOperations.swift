internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// `consumers.grant`, `consumers.list` and `consumers.revoke`, for operators: what consumers may have replayed. Their
/// broker users are made beside it, by `zonda consumer`.
struct ConsumerOperations: Sendable {
    private static let maxListed = 1000
    private static let usuallyListed = 200

    let table: ConsumerTable

    /// `consumers.grant`. A repeat grants the same again: no record of requests is needed.
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
        // Also good when there was nothing: a repeat of a revocation is one.
        let wasThere = try await table.remove(consumer)
        return Answer { writer in
            writer.member("consumer", consumer.rawValue)
            writer.member("revoked", wasThere)
        }
    }

    /// `consumers.list`.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let limit = Int(body["limit"]?.int ?? Int64(Self.usuallyListed))
        guard (1...Self.maxListed).contains(limit) else {
            throw ServerError.tooMany("consumers", limit: Self.maxListed, actual: limit)
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
    /// A grant's members and `grantedAt`.
    fileprivate mutating func members(of consumer: GrantedConsumer) {
        for member in consumer.grant.json.members ?? [] {
            key(member.key)
            value(member.value)
        }
        member("grantedAt", consumer.grantedAt)
    }
}
