import AMQPClient
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Listens to zones and tells every notification once. What may have been missed while there was no connection, or
/// was dropped because the queue was full, it reads from the zones' feeds.
struct Watch: Sendable {
    /// What happens to a watch.
    enum Input: Sendable {
        /// Notifications have come.
        case delivered([AMQPDelivery])
        /// There is a new connection, of this ``AMQPDelivery/generation``: what was published before it is lost.
        case reconnected(UInt64)
    }

    /// What a watch tells.
    enum Output: Sendable {
        /// A notification.
        case notified(ZoneNotification)
        /// A page of what was missed: `{"caughtUp":true,"zone":…,"syncToken":…,"records":[…]}`.
        case caughtUp(JSONValue)
        /// Notifications that were dropped, of a zone whose feed is not read:
        /// `{"missed":true,"zone":…,"fromSeq":…,"toSeq":…}`.
        case missed(JSONValue)
        /// Something that is worth a word, but no end.
        case trouble(RequestFailure)
    }

    /// How long a feed is asked for: a broker that comes back may come before its services.
    private static let feedLimit: Duration = .seconds(600)

    /// Whom to ask for the feeds of zones in the ledger.
    let requester: any Requester
    /// Notifications of this originating client are left out.
    var client: String?
    /// How many notifications and pages are told at most; nil is any number.
    var count: Int?
    /// Gives deliveries back to the broker as done.
    var acknowledge: @Sendable ([AMQPDelivery]) -> Void = { _ in }
    /// Is told everything.
    let tell: @Sendable (Output) -> Void

    /// How far a watch has come.
    private struct Progress {
        var ledger: WatchLedger
        /// The last connection known of: everything published before it has been caught up with.
        var generation: UInt64
        /// How many may still be told.
        var remaining: Int
    }

    /// Goes on until `inputs` end or ``count`` is reached.
    ///
    /// - Parameter generation: the connection whose queue was bound after the ledger's tokens were asked for.
    /// - Throws: the failure to read a feed.
    func run(
        _ inputs: some AsyncSequence<Input, Never>, _ ledger: WatchLedger, generation: UInt64
    ) async throws(RequestFailure) {
        var progress = Progress(ledger: ledger, generation: generation, remaining: count ?? .max)
        for await input in inputs {
            switch input {
            case .delivered(let deliveries):
                var told: [AMQPDelivery] = []
                for delivery in deliveries where progress.remaining > 0 {
                    // It may be here before the word of its connection.
                    try await reconnected(delivery.generation, &progress)
                    try await receive(delivery, &progress)
                    told.append(delivery)
                }
                // What was not told any more stays in the queue, and comes again when that outlives the watch.
                acknowledge(told)
            case .reconnected(let generation): try await reconnected(generation, &progress)
            }
            if progress.remaining == 0 { return }
        }
    }

    /// Catches up with every zone if the connection is a new one.
    private func reconnected(_ generation: UInt64, _ progress: inout Progress) async throws(RequestFailure) {
        guard generation > progress.generation else { return }
        progress.generation = generation
        for zone in progress.ledger.zones { try await catchUp(zone, &progress) }
    }

    /// Tells a notification unless it is a repeat or the client's own, after what was dropped before it.
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

    /// Reads the zone's feed since the last known token, no further than may be told.
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
