internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// Reads the change log of the record service (`changes.log` on `zonda.internal`).
struct ChangeLogClient: Sendable {
    /// A page of the log.
    struct Page: Sendable {
        /// The changes, in order.
        var changes: [ZoneChange]
        /// Whether the log has more changes.
        var moreComing: Bool
        /// The current moment, if the page is for a sweep.
        var snapshot: String?
        /// The position of a sweep's next page.
        var after: String?
    }

    /// The error thrown when the zone is unknown to the record service.
    struct ZoneUnknown: Error {}

    /// The maximum wait for a page.
    private static let maxWait = Duration.seconds(5)

    let call: RemoteCall

    /// Reads a page of a zone's changes after change number `seq`.
    ///
    /// - Throws: ``ZoneUnknown``, the record service's `ServerError`, `AMQPError`.
    func changes(of incarnation: UUID, after seq: Int64) async throws -> Page {
        try await page(["incarnation": .string(incarnation.lowercaseText), "afterSeq": .int(seq)])
    }

    /// Returns the current moment, for a later call to ``changes(since:upTo:after:)``.
    ///
    /// - Throws: the same errors as ``changes(of:after:)``.
    func present() async throws -> String {
        guard let snapshot = try await page([:]).snapshot else { throw ServerError.missingKey("snapshot") }
        return snapshot
    }

    /// Reads a page of the changes, in all zones, that are visible at the moment `upTo` but not at `since`. `after` is
    /// the position that the previous page returned.
    ///
    /// - Throws: the same errors as ``changes(of:after:)``.
    func changes(since: String, upTo: String, after: String?) async throws -> Page {
        var request: [JSONValue.Member] = [
            JSONValue.Member("since", .string(since)), JSONValue.Member("upTo", .string(upTo)),
        ]
        if let after { request.append(JSONValue.Member("after", .string(after))) }
        return try await page(.object(request))
    }

    private func page(_ request: JSONValue) async throws -> Page {
        let operation = ServiceMessages.Operation.changesLog
        let reply = try await call(
            AMQPMessage(
                exchange: operation.exchange, routingKey: operation.rawValue,
                properties: AMQPProperties(
                    contentType: "application/json", isPersistent: false,
                    // After an outage, the record service skips requests whose senders are no longer waiting.
                    headers: [
                        Header.version: 1,
                        Header.deadline: .int64(SystemClock.milliseconds() + Self.maxWait.milliseconds),
                    ]),
                body: request.encoded()),
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
