import AMQPClient
import CloudKitWire
import ServiceMessages

/// Listens to zones and tells every notification once. What may have been missed while there was no connection it
/// reads from the zones' feeds.
struct Watch: Sendable {
    /// What happens to a watch.
    enum Input: Sendable {
        /// Notifications have come.
        case delivered([AMQPDelivery])
        /// There is a new connection: what was published before it is lost.
        case reconnected
    }

    /// What a watch tells.
    enum Output: Sendable {
        /// A notification.
        case notified(ZoneNotification)
        /// A page of what was missed: `{"caughtUp":true,"zone":…,"syncToken":…,"records":[…]}`.
        case caughtUp(JSONValue)
        /// Something that is worth a word, but no end.
        case trouble(RequestFailure)
    }

    /// How long a feed is asked for: a broker that comes back may come before its services.
    private static let feedLimit: Duration = .seconds(600)

    /// Whom to ask.
    let requester: any Requester
    /// Notifications of this originating client are left out.
    var client: String?
    /// How many notifications and pages are told at most; nil is any number.
    var count: Int?
    /// Gives deliveries back to the broker as done.
    var acknowledge: @Sendable ([AMQPDelivery]) -> Void = { _ in }
    /// Is told everything.
    let tell: @Sendable (Output) -> Void

    /// The present change tokens of `zones`, and of the zones of saved subscriptions. To be asked for before the queue
    /// is bound: between the two nothing can then be missed.
    ///
    /// - Throws: the failure of a request or of a subscription. A zone that is not there is told as trouble: it may
    ///   come.
    func ledger(zones: [String], subscriptions: [String]) async throws(RequestFailure) -> WatchLedger {
        var names = Set(zones)
        if !subscriptions.isEmpty {
            let answer = try await requester.ask(
                .subscriptionsLookup,
                ["subscriptions": .array(subscriptions.map { ["subscriptionID": .string($0)] })],
                limit: GlobalOptions.requestLimit)
            for item in answer["subscriptions"]?.array ?? [] {
                if let refusal = RequestFailure.Refusal(item) { throw .refused(refusal) }
                if let zone = item["zoneID"]?["zoneName"]?.string { names.insert(zone) }
            }
        }
        var tokens = Dictionary(uniqueKeysWithValues: names.map { ($0, String?.none) })
        guard !names.isEmpty else { return WatchLedger(tokens: tokens) }
        let wanted = names.sorted()
        let answer = try await requester.ask(
            .zonesLookup, ["zones": .array(wanted.map { ["zoneName": .string($0)] })],
            limit: GlobalOptions.requestLimit)
        for (name, item) in zip(wanted, answer["zones"]?.array ?? []) {
            tokens[name] = .some(item["syncToken"]?.string)
            if let refusal = RequestFailure.Refusal(item) {
                guard refusal.code == "ZONE_NOT_FOUND" else { throw .refused(refusal) }
                tell(.trouble(.refused(refusal)))
            }
        }
        return WatchLedger(tokens: tokens)
    }

    /// Goes on until `inputs` end or ``count`` is reached.
    ///
    /// - Throws: the failure to read a feed.
    func run(_ inputs: some AsyncSequence<Input, Never>, _ ledger: WatchLedger) async throws(RequestFailure) {
        var (ledger, told) = (ledger, 0)
        for await input in inputs {
            switch input {
            case .delivered(let deliveries):
                for delivery in deliveries where told < count ?? .max {
                    told += receive(delivery, &ledger)
                }
                acknowledge(deliveries)
            case .reconnected:
                for zone in ledger.zones where told < count ?? .max {
                    told += try await catchUp(zone, &ledger)
                }
            }
            if told >= count ?? .max { return }
        }
    }

    /// Tells a notification unless it is a repeat or the client's own. Returns how many were told.
    private func receive(_ delivery: AMQPDelivery, _ ledger: inout WatchLedger) -> Int {
        do throws(RequestFailure) {
            let notification = try ZoneNotification(delivery.body)
            let isOwn = client != nil && delivery.properties.headers.string(Header.client) == client
            guard ledger.admit(notification), !isOwn else { return 0 }
            tell(.notified(notification))
            return 1
        } catch {
            tell(.trouble(error))
            return 0
        }
    }

    /// Reads the zone's feed since the last known token. Returns how many pages were told.
    private func catchUp(_ zone: String, _ ledger: inout WatchLedger) async throws(RequestFailure) -> Int {
        var told = 0
        var feed = ZoneFeed(requester: requester, zone: zone, since: ledger.token(of: zone), limit: Self.feedLimit)
        feed.desiredKeys = []
        do {
            while let records = try await feed.nextPage() {
                ledger.move(zone, to: feed.token)
                guard !records.isEmpty else { continue }
                tell(
                    .caughtUp([
                        "caughtUp": true, "zone": .string(zone), "syncToken": .string(feed.token ?? ""),
                        "records": .array(records),
                    ]))
                told += 1
            }
            return told
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            let isExpired = refusal.reasonCode == "change_token_expired" && ledger.token(of: zone) != nil
            guard isExpired || refusal.code == "ZONE_NOT_FOUND" else { throw error }
            tell(.trouble(error))
            ledger.move(zone, to: nil)
            return isExpired ? told + (try await catchUp(zone, &ledger)) : told
        }
    }
}
