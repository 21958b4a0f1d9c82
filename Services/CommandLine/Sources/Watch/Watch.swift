import AMQPClient
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Watches zones and reports every notification once. Changes whose notifications were missed while the connection was
/// down, or were dropped because the queue was full, are read from the zones' feeds.
struct Watch: Sendable {
    /// An input to a watch.
    enum Input: Sendable {
        /// Notifications were received.
        case delivered([AMQPDelivery])
        /// A new connection with this ``AMQPDelivery/generation`` was established. Earlier notifications may have been
        /// lost.
        case reconnected(UInt64)
    }

    /// An output of a watch.
    enum Output: Sendable {
        /// A notification.
        case notified(ZoneNotification)
        /// A page of missed changes: `{"caughtUp":true,"zone":…,"syncToken":…,"records":[…]}`.
        case caughtUp(JSONValue)
        /// Dropped notifications for a zone whose feed is not read: `{"missed":true,"zone":…,"fromSeq":…,"toSeq":…}`.
        case missed(JSONValue)
        /// A failure that does not end the watch.
        case trouble(RequestFailure)
    }

    /// The maximum time for which the request for a feed is retried. It is long because, after an outage, the broker
    /// can be available again before the services are.
    private static let feedLimit: Duration = .seconds(600)

    /// The requester that reads the feeds of the zones in the ledger.
    let requester: any Requester
    /// The client whose changes are omitted; nil for none.
    var client: String?
    /// The maximum total number of notifications and pages of missed changes; nil for no maximum.
    var count: Int?
    /// Acknowledges deliveries.
    var acknowledge: @Sendable ([AMQPDelivery]) -> Void = { _ in }
    /// Called with every output.
    let tell: @Sendable (Output) -> Void

    /// The progress of a watch.
    private struct Progress {
        var ledger: WatchLedger
        /// The last known connection. All changes made before it was established have been reported.
        var generation: UInt64
        /// The number of outputs that may still be reported before ``count`` is reached.
        var remaining: Int
    }

    /// Runs until `inputs` ends or ``count`` is reached.
    ///
    /// - Parameter generation: the connection whose queue was bound after the ledger's tokens were requested.
    /// - Throws: the failure to read a feed.
    func run(
        _ inputs: some AsyncSequence<Input, Never>, _ ledger: WatchLedger, generation: UInt64
    ) async throws(RequestFailure) {
        var progress = Progress(ledger: ledger, generation: generation, remaining: count ?? .max)
        for await input in inputs {
            switch input {
            case .delivered(let deliveries):
                var reported: [AMQPDelivery] = []
                for delivery in deliveries where progress.remaining > 0 {
                    // A delivery can arrive before the input that reports its connection.
                    try await reconnected(delivery.generation, &progress)
                    try await receive(delivery, &progress)
                    reported.append(delivery)
                }
                // Notifications that are not reported remain in the queue. If the queue outlives the watch, they are
                // delivered again.
                acknowledge(reported)
            case .reconnected(let generation): try await reconnected(generation, &progress)
            }
            if progress.remaining == 0 { return }
        }
    }

    /// Reads the missed changes of every zone if the connection is new.
    private func reconnected(_ generation: UInt64, _ progress: inout Progress) async throws(RequestFailure) {
        guard generation > progress.generation else { return }
        progress.generation = generation
        for zone in progress.ledger.zones { try await catchUp(zone, &progress) }
    }

    /// Reports the changes that were dropped before a notification. Then reports the notification itself, unless it is
    /// a repetition or its change was made by the omitted client.
    private func receive(_ delivery: AMQPDelivery, _ progress: inout Progress) async throws(RequestFailure) {
        guard progress.remaining > 0 else { return }
        let notification: ZoneNotification
        do throws(RequestFailure) {
            notification = try ZoneNotification(delivery.body)
        } catch {
            return tell(.trouble(error))
        }
        if progress.ledger.isGap(before: notification) { try await catchUp(notification.zone, &progress) }
        if let numbers = progress.ledger.missing(before: notification) {
            tell(
                .missed([
                    "missed": true, "zone": .string(notification.zone), "fromSeq": .int(numbers.lowerBound),
                    "toSeq": .int(numbers.upperBound),
                ]))
        }
        let isOwn = client != nil && delivery.properties.headers.string(Header.client) == client
        guard progress.ledger.admit(notification), !isOwn, progress.remaining > 0 else { return }
        tell(.notified(notification))
        progress.remaining -= 1
    }

    /// Reads the zone's feed from the last known token onward, and reports no more pages than the number of remaining
    /// outputs.
    private func catchUp(_ zone: String, _ progress: inout Progress) async throws(RequestFailure) {
        let token = progress.ledger.token(of: zone)
        var feed = ZoneFeed(requester: requester, zone: zone, since: token, limit: Self.feedLimit)
        feed.desiredKeys = []
        do {
            while progress.remaining > 0, let records = try await feed.nextPage() {
                progress.ledger.move(zone, to: feed.token)
                guard !records.isEmpty else { continue }
                tell(
                    .caughtUp([
                        "caughtUp": true, "zone": .string(zone), "syncToken": .string(feed.token ?? ""),
                        "records": .array(records),
                    ]))
                progress.remaining -= 1
            }
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            let isExpired =
                refusal.reasonCode == "change_token_expired" && progress.ledger.token(of: zone) != nil
            guard isExpired || refusal.code == "ZONE_NOT_FOUND" else { throw error }
            tell(.trouble(error))
            progress.ledger.move(zone, to: nil)
            if isExpired { try await catchUp(zone, &progress) }
        }
    }
}
