internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// Reads the record service's change log (`changes.log` on `zonda.internal`).
struct ChangeLogClient: Sendable {
    /// A page of the log.
    struct Page: Sendable {
        /// The changes, in order.
        var changes: [ZoneChange]
        /// Whether there are more.
        var moreComing: Bool
        /// Of a sweep: the moment up to which it goes.
        var snapshot: String?
        /// Of a sweep: where the next page begins.
        var after: String?
    }

    /// The record service does not know the zone, or not any more.
    struct ZoneUnknown: Error {}

    /// How long a page may take.
    private static let maxWait = Duration.seconds(5)

    let call: RemoteCall

    /// The changes of a zone after a number, a page of them.
    ///
    /// - Throws: ``ZoneUnknown``, `ServerError` as the record service answered it, `AMQPError`.
    func changes(of incarnation: UUID, after seq: Int64) async throws -> Page {
        try await page(["incarnation": .string(incarnation.lowercaseText), "afterSeq": .int(seq)])
    }

    /// The present moment, for a later ``changes(since:upTo:after:)``.
    ///
    /// - Throws: as ``changes(of:after:)``.
    func present() async throws -> String {
        guard let snapshot = try await page([:]).snapshot else { throw ServerError.missingKey("snapshot") }
        return snapshot
    }

    /// The changes of all zones that `upTo` sees and `since` does not, a page of them.
    ///
    /// - Throws: as ``changes(of:after:)``.
    func changes(since: String, upTo: String, after: String?) async throws -> Page {
        var question: [JSONValue.Member] = [
            JSONValue.Member("since", .string(since)), JSONValue.Member("upTo", .string(upTo)),
        ]
        if let after { question.append(JSONValue.Member("after", .string(after))) }
        return try await page(.object(question))
    }

    private func page(_ question: JSONValue) async throws -> Page {
        let operation = ServiceMessages.Operation.changesLog
        let reply = try await call(
            AMQPMessage(
                exchange: operation.exchange, routingKey: operation.rawValue,
                properties: AMQPProperties(
                    contentType: "application/json", isPersistent: false,
                    // A question that nobody waits for any more must not be worked off after an outage.
                    headers: [
                        Header.version: 1,
                        Header.deadline: .int64(SystemClock.milliseconds() + Self.maxWait.milliseconds),
                    ]),
                body: question.encoded()),
            Self.maxWait)
        if reply.properties.headers.int64(Header.status) != 200 {
            let error = try WireReply(decoding: reply.body).error ?? .internalError(.changesLogFailed)
            throw error.code == .zoneNotFound ? ZoneUnknown() : error
        }
        let json = try JSONValue(parsing: reply.body)
        return Page(
            changes: try (json["events"]?.array ?? []).map { try ZoneChange($0) },
            moreComing: json["moreComing"]?.bool ?? false, snapshot: json["snapshot"]?.string,
            after: json["after"]?.string)
    }
}
