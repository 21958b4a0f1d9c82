import AMQPClient
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestGenerators
import TestSupport

/// Attacks that once stopped a service or lost another caller's answer. Each is executed as one strike.
struct KnownAttacks {
    /// The zone of the records that attacks request.
    static let zone = "Hostile"
    /// The zone that attacks lock.
    static let heldZone = "HostileHeld"
    private static let large = 1_000_000

    let ground: HostileGround

    /// Saves the records that the attacks request: one of 1 MB, seven with 1 MB of control characters each (six bytes
    /// per character in JSON), and one in the zone that is locked.
    ///
    /// - Throws: an error if a save fails.
    static func prepare(_ client: TestClient) async throws {
        try await client.save(zone, "large", ["title": .string(String(repeating: "a", count: large))])
        for number in 0..<7 {
            try await client.save(
                zone, "control\(number)", ["title": .string(String(repeating: "\u{1}", count: large))])
        }
        try await client.save(heldZone, "first", ["title": "a"])
    }

    /// Executes the attack `kind` once.
    ///
    /// - Throws: ``TestFailure`` if a server cannot be reached.
    func strike(_ kind: HostileKind, number: Int, _ generator: inout SeededGenerator) async throws -> HostileOutcome {
        switch kind {
        case .madeUpReplyTo: try await madeUpReplyTo(number, &generator)
        case .nestedTables: try await nestedTables(number)
        case .repeatedLookup:
            try await ask(
                .recordsLookup, number,
                [
                    "zoneID": .zone(Self.zone),
                    "records": .array(Array(repeating: ["recordName": "large"], count: 1000)),
                ])
        case .oversizedAnswer:
            try await ask(.changesZone, number, ["zones": [["zoneID": .zone(Self.zone)]]])
        case .heldSchema: try await heldSchema(number)
        case .heldZone: try await holdZone(number)
        case .lookAlikeNames: try await lookAlikeNames()
        case .compressedBodies: try await compressedBodies()
        default: .failed("\(kind) is no known attack")
        }
    }

    /// Sends a request with a forged reply-to that looks like one of the broker.
    private func madeUpReplyTo(_ number: Int, _ generator: inout SeededGenerator) async throws -> HostileOutcome {
        var request = request(.serviceCapabilities, number)
        let ends = ["a.b", "a", "", ".", "..", "YQ==.YQ==", "YQ==", "é.é", "a.b.c", String(repeating: "g", count: 200)]
        request.set(.replyTo, "amq.rabbitmq.reply-to." + ends.drawn(&generator))
        var attack = BrokerAttack(on: ground)
        return try await attack.send(request, number: number)
    }

    /// Sends a header with nested tables, as many as fit in a frame.
    private func nestedTables(_ number: Int) async throws -> HostileOutcome {
        var request = request(.serviceCapabilities, number)
        request.headers.append((Array("x-nested".utf8), BrokerHeaders.nested(2_250)))
        var attack = BrokerAttack(on: ground)
        return try await attack.send(request, number: number)
    }

    /// Saves in an environment whose schema is locked by a change for two seconds.
    private func heldSchema(_ number: Int) async throws -> HostileOutcome {
        let database = ground.stack.database
        async let held: PostgresResult = database.query(
            """
            with held as materialized (
                select pg_advisory_xact_lock(hashtext('zonda schema version'), e.id::int4)
                from record.environment e join record.container c on c.id = e.container
                where c.name = 'com.example.hostile')
            select count(*), (select pg_sleep(2)) from held
            """)
        let save = JSONValue.modify("_defaultZone", [.operation("forceReplace", "held", ["title": "a"])])
        let outcome = try await ask(.recordsModify, number, save, container: "com.example.hostile")
        _ = try await held
        return outcome
    }

    /// Sends two saves of 9 MB without reply-to to a zone that is locked for three seconds.
    private func holdZone(_ number: Int) async throws -> HostileOutcome {
        let database = ground.stack.database
        async let held: PostgresResult = database.query(
            """
            with held as materialized (select id from record.zone where name = 'HostileHeld' for update)
            select count(*), (select pg_sleep(3)) from held
            """)
        let text = JSONValue.string(String(repeating: "a", count: 900_000))
        for part in 0..<2 {
            let body = JSONValue.modify(
                Self.heldZone, (0..<10).map { .operation("forceReplace", "\(part)-\($0)", ["title": text]) })
            var message = ground.client.message(.recordsModify, body.encoded(), messageID: "held-\(number)-\(part)")
            message.properties.isPersistent = false
            try await ground.stack.publisher.publish(message)
        }
        _ = try await held
        return .silent
    }

    /// Saves two records whose names look alike.
    private func lookAlikeNames() async throws -> HostileOutcome {
        let names = ["\u{E9}", "e\u{301}"]
        let saved = try await ground.client.ask(
            .recordsModify,
            .modify(
                Self.zone,
                names.enumerated().map { .operation("forceReplace", $1, ["title": .string("\($0)")]) }))
        let found = try await ground.client.ask(
            .recordsLookup,
            ["zoneID": .zone(Self.zone), "records": .array(names.map { ["recordName": .string($0)] })])
        let titles = (found["records"]?.array ?? []).map { $0.values["title"]?.string }
        guard titles == ["0", "1"] else {
            return .failed("two names are one: \(saved.status) \(saved.body) \(titles)")
        }
        return .answered(found.status)
    }

    /// Sends twenty compressed bodies of 16 MB without credentials. Their ends never arrive.
    private func compressedBodies() async throws -> HostileOutcome {
        let body = Compressed.gzip(zeros: (16 << 20) - 1)
        let head =
            "POST /database/1/x/development/public/records/query HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n\(String(body.count, radix: 16))\r\n"
        var held: [HTTPConversation] = []
        for _ in 0..<20 {
            let conversation = try HTTPConversation(port: ground.stack.gatewayPort)
            await conversation.send(Array(head.utf8) + body + Array("\r\n".utf8))
            held.append(conversation)
        }
        // Meanwhile, an honest request is sent.
        let reply = try await ground.user.ask("records/lookup", #"{"records":[{"recordName":"hostile"}]}"#)
        withExtendedLifetime(held) {}
        return reply.status == 200 ? .hungUp : .failed("a request beside the bodies is answered \(reply.status)")
    }

    private func request(_ operation: ServiceMessages.Operation, _ number: Int) -> BrokerRequest {
        let client = ground.client
        var request = BrokerRequest(exchange: operation.exchange, routingKey: Array(operation.rawValue.utf8))
        request.set(.messageID, "known-\(ground.seed)-\(number)")
        request.set(.replyTo, "amq.rabbitmq.reply-to")
        request.properties[.deliveryMode] = [1]
        for name in [Header.container, Header.environment, Header.database, Header.user] {
            request.set(header: name, .string(client.headers.string(name) ?? ""))
        }
        request.set(header: DeadLetterWatch.mark, .string("\(number)"))
        return request
    }

    private func ask(
        _ operation: ServiceMessages.Operation, _ number: Int, _ body: JSONValue, container: String? = nil
    ) async throws -> HostileOutcome {
        var request = request(operation, number)
        if let container { request.set(header: Header.container, .string(container)) }
        request.body = body.encoded()
        var attack = BrokerAttack(on: ground)
        return try await attack.send(request, number: number)
    }
}
