import AMQPClient
import CloudKitModel
import CloudKitQuery
import CloudKitWire
import Foundation
import RequestServing
import ServiceLifecycle
import ServiceMessages
import Synchronization
import TestSupport

@testable import SubscriptionService
@testable import SubscriptionStorage

/// A fake record service that answers `changes.log` and `zones.lookup` from memory.
final class FakeRecordService: Sendable {
    private struct State {
        var log: [ChangeEvent] = []
        var zones: Set<String> = []
        /// The number of requests about a zone that fail with an error first.
        var failures: [UUID: Int] = [:]
        var questions: [UUID: Int] = [:]
        var isAway = false
        /// The number of the rights, and the types that can no longer be read.
        var rights: Int64 = 1
        var denied: Set<String> = []
        /// The participants of shares, as rows of the answer to `shares.audience`.
        var participants: [JSONValue] = []
        /// The number of requests for audiences, and whether they are refused.
        var audienceQuestions = 0
        var refusesAudiences = false
        /// The number of the first participants who are returned even if requests for audiences are refused.
        var answeredUsers = 0
        var holdsAudiences = false
        /// The number of requests about interests that are first answered as by a service that is shutting down.
        var endings = 0
    }

    private let state = Mutex(State())
    /// Ends the wait of requests for audiences (``holdsAudiences``).
    private let audienceRelease = TestMailbox<Void>()
    /// Whether no request is answered.
    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// Sets how many of the next requests about interests must be retried.
    func end(times: Int) { state.withLock { $0.endings = times } }

    /// Revokes the right to read a type, and returns the number of the rights for later events.
    func deny(_ type: String) -> Int64 {
        state.withLock { state in
            state.denied.insert(type)
            state.rights += 1
            return state.rights
        }
    }

    /// Adds an event to the log, as a commit does.
    func commit(_ event: ChangeEvent) { state.withLock { $0.log.append(event) } }

    /// Removes the commits of a zone after a number, as if a replica that was behind had been promoted.
    func lose(_ incarnation: UUID, after seq: Int64) {
        state.withLock { $0.log.removeAll { $0.incarnation == incarnation && $0.toSeq > seq } }
    }

    /// Creates a zone.
    func make(_ zone: TestZone) { state.withLock { _ = $0.zones.insert(zone.address.zone.rawValue) } }

    /// Sets how many of the next requests about a zone fail.
    func fail(_ incarnation: UUID, times: Int) { state.withLock { $0.failures[incarnation] = times } }

    /// Adds a participant of a share: the changes by which access was gained and lost, and the audience's version.
    func join(
        _ user: String, share: Int64, since: Int64, until: Int64? = nil, lost: Int64? = nil, version: Int64 = 1
    ) {
        let row: JSONValue = [
            .int(share), .int(version), .string(user), .int(since), until.map { .int($0) } ?? .null,
            lost.map { .int($0) } ?? .null,
        ]
        state.withLock { state in
            state.participants.removeAll { $0[0] == row[0] && $0[2] == row[2] }
            state.participants.append(row)
        }
    }

    /// Sets whether requests for audiences are refused, from the given page of participants on.
    func refuseAudiences(_ refuses: Bool, afterUsers count: Int = 0) {
        state.withLock { ($0.refusesAudiences, $0.answeredUsers) = (refuses, count) }
    }

    /// Whether requests for audiences are not answered before ``releaseAudiences()``.
    var holdsAudiences: Bool {
        get { state.withLock { $0.holdsAudiences } }
        set { state.withLock { $0.holdsAudiences = newValue } }
    }

    /// Answers the requests for audiences that were held, and those that follow.
    func releaseAudiences() {
        holdsAudiences = false
        audienceRelease.add(())
    }

    /// The number of requests for audiences.
    var audienceQuestions: Int { state.withLock { $0.audienceQuestions } }

    /// Returns the number of requests for a zone's log.
    func questions(about incarnation: UUID) -> Int { state.withLock { $0.questions[incarnation] ?? 0 } }

    /// Calls the fake service directly, in place of the RPC client.
    var call: RemoteCall {
        { message, _ throws(AMQPError) in
            guard !self.isAway else { throw AMQPError(.timedOut, "nobody answers") }
            do {
                if message.routingKey == "shares.audience", self.holdsAudiences {
                    _ = try await self.audienceRelease.first("the release of audiences") { true }
                }
                let (status, body) = try self.answer(message)
                return AMQPDelivery(
                    queue: "", deliveryTag: 1, properties: AMQPProperties(headers: [Header.status: .int64(status)]),
                    body: body.encoded())
            } catch {
                throw AMQPError(.refused, "\(error)")
            }
        }
    }

    /// Answers the requests that arrive over the broker.
    func serve(_ configuration: AMQPConfiguration) async {
        let consumer = AMQPConsumer(
            configuration: configuration, topology: Topology.all,
            consumptions: [Queue.recordInternal, Queue.recordReads].map { AMQPConsumption(queue: $0, prefetch: 50) },
            logger: testLogger)
        let publisher = AMQPPublisher(configuration: configuration, logger: testLogger)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await consumer.run() }
            group.addTask { try? await publisher.run() }
            for await deliveries in consumer.batches {
                publisher.publish(deliveries.compactMap { try? self.reply(to: $0) }) { _ in }
                consumer.acknowledge(deliveries)
            }
            group.cancelAll()
        }
    }

    private func reply(to request: AMQPDelivery) throws -> AMQPMessage {
        let (status, body) = try answer(
            AMQPMessage(exchange: request.exchange, routingKey: request.routingKey, body: request.body))
        return AMQPMessage(
            exchange: "", routingKey: request.properties.replyTo ?? "",
            properties: AMQPProperties(
                correlationID: request.properties.correlationID, headers: [Header.status: .int64(status)]),
            body: body.encoded())
    }

    private func answer(_ request: AMQPMessage) throws -> (Int64, JSONValue) {
        let body = try JSONValue(parsing: request.body)
        if request.routingKey == "zones.lookup" { return (200, lookup(body)) }
        if request.routingKey == "interests.set" {
            let isEnding = state.withLock { state in
                defer { state.endings = max(0, state.endings - 1) }
                return state.endings > 0
            }
            if isEnding { return (503, ["serverErrorCode": "TRY_AGAIN_LATER", "reason": "ordered", "uuid": "u"]) }
            return (200, try interests(body))
        }
        if request.routingKey == "shares.audience" { return audience(body) }
        if let incarnation = body["incarnation"]?.string.flatMap(UUID.init(uuidString:)) {
            return try zone(incarnation, after: body["afterSeq"]?.int ?? 0)
        }
        return (200, try sweep(body))
    }

    /// Returns the participants of the shares in order of users and shares, two at a time.
    private func audience(_ body: JSONValue) -> (Int64, JSONValue) {
        let (rows, answered) = state.withLock { state in
            state.audienceQuestions += 1
            return (state.participants, state.refusesAudiences ? state.answeredUsers : .max)
        }
        func place(_ row: JSONValue) -> (String, Int64) { (row[2]?.string ?? "", row[0]?.int ?? 0) }
        let shares = body["shares"]?.array
        let found = rows.filter { row in shares?.contains { $0 == row[0] } ?? true }.sorted { place($0) < place($1) }
        let after = (body["after"]?[0]?.string ?? "", body["after"]?[1]?.int ?? 0)
        let start = found.firstIndex { place($0) > after } ?? found.count
        if start >= answered {
            return (503, ["serverErrorCode": "TRY_AGAIN_LATER", "reason": "ordered", "uuid": "u"])
        }
        let page = Array(found[start...].prefix(2))
        let isLast = start + page.count == found.count
        return (
            200,
            [
                "participants": .array(page),
                "after": isLast ? .null : page.last.map { [$0[2] ?? .null, $0[0] ?? .null] } ?? .null,
            ]
        )
    }

    private func lookup(_ body: JSONValue) -> JSONValue {
        let zones = state.withLock { $0.zones }
        let items = (body["zones"]?.array ?? []).map { zoneID -> JSONValue in
            if zones.contains(zoneID["zoneName"]?.string ?? "") { return ["zoneID": zoneID, "syncToken": "t"] }
            return [
                "zoneID": zoneID, "serverErrorCode": "ZONE_NOT_FOUND", "reason": "Zone does not exist",
                "reasonCode": "zone_not_found", "ckErrorCode": 26,
            ]
        }
        return ["zones": .array(items)]
    }

    /// Every type is known and readable, except `Secret`.
    private func interests(_ body: JSONValue) throws -> JSONValue {
        let (rights, denied) = state.withLock { ($0.rights, $0.denied) }
        let items = try (body["queries"]?.array ?? []).map { item -> JSONValue in
            let type = item["query"]?["recordType"]?.string ?? ""
            if denied.contains(type) {
                return [
                    "recordType": .string(type), "serverErrorCode": "ACCESS_DENIED", "reasonCode": "access_denied",
                    "reason": "READ is not permitted",
                ]
            }
            if type == "Secret" {
                return [
                    "recordType": .string(type), "serverErrorCode": "BAD_REQUEST",
                    "reasonCode": "record_type_not_found",
                    "reason": "did not find record type: Secret",
                ]
            }
            let filters = try (item["query"]?["filterBy"]?.array ?? []).map { try WireFilter(decoding: $0.encoded()) }
            return [
                "recordType": .string(type), "predicate": .string(try Predicate(filters: filters).format),
                "ownOnly": .bool(type == "Own"),
            ]
        }
        return ["interests": .array(items), "rights": .int(rights)]
    }

    /// Returns a page of two events.
    private func zone(_ incarnation: UUID, after seq: Int64) throws -> (Int64, JSONValue) {
        let (log, fails) = state.withLock { state -> ([ChangeEvent], Bool) in
            state.questions[incarnation, default: 0] += 1
            let failures = state.failures[incarnation] ?? 0
            state.failures[incarnation] = max(0, failures - 1)
            return (state.log.filter { $0.incarnation == incarnation }, failures > 0)
        }
        if fails { return (500, ["serverErrorCode": "INTERNAL_ERROR", "reason": "ordered", "uuid": "u"]) }
        guard !log.isEmpty else { return (404, ["serverErrorCode": "ZONE_NOT_FOUND", "reason": "gone", "uuid": "u"]) }
        let rest = log.filter { $0.toSeq > seq }
        return (200, try page(Array(rest.prefix(2)), moreComing: rest.count > 2, more: [:]))
    }

    /// A snapshot is the length of the log, from PostgreSQL's first transaction on: `n+3:n+3:` sees the first n events.
    private func sweep(_ body: JSONValue) throws -> JSONValue {
        let log = state.withLock { $0.log }
        func snapshot(_ count: Int) -> JSONValue { .string("\(count + 3):\(count + 3):") }
        func number(_ key: String) -> Int? { body[key]?.string?.split(separator: ":").first.flatMap { Int($0) } }
        guard let since = number("since").map({ $0 - 3 }) else {
            return try page([], moreComing: false, more: ["snapshot": snapshot(log.count)])
        }
        let upTo = number("upTo").map { $0 - 3 } ?? log.count
        let start = max(since, number("after") ?? 0)
        let end = min(upTo, start + 2)
        return try page(
            Array(log[start..<end]), moreComing: end < upTo,
            more: ["snapshot": snapshot(upTo), "after": .string("\(end)")])
    }

    private func page(_ events: [ChangeEvent], moreComing: Bool, more: JSONValue) throws -> JSONValue {
        let events = try events.map { try JSONValue(parsing: $0.json(bounded: false)) }
        return .object(
            [
                JSONValue.Member("events", .array(events)), JSONValue.Member("moreComing", .bool(moreComing)),
            ]
                + (more.members ?? []))
    }
}
