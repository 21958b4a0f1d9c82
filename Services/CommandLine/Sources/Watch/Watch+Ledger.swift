import CloudKitWire
import CommandLineSession
import ServiceMessages

extension Watch {
    /// Requests the current change tokens of `zones` and of the zones of saved subscriptions. Must be called before the
    /// queue is bound, so that no change between this request and the binding is missed.
    ///
    /// - Throws: the failure of a request or of a subscription. A zone that does not exist is reported but is not an
    ///   error, because it might be created later.
    func ledger(zones: [String], subscriptions: [String]) async throws(RequestFailure) -> WatchLedger {
        var (names, partial) = (Set(zones), Set<String>())
        if !subscriptions.isEmpty {
            let answer = try await requester.ask(
                .subscriptionsLookup,
                ["subscriptions": .array(subscriptions.map { ["subscriptionID": .string($0)] })],
                limit: .requestLimit)
            for item in answer["subscriptions"]?.array ?? [] {
                if let refusal = RequestFailure.Refusal(item) { throw .refused(refusal) }
                let kind = item["subscriptionType"]?.string ?? "zone"
                if kind == "zone", item["recordType"] == nil, let zone = item["zoneID"]?["zoneName"]?.string {
                    names.insert(zone)
                } else if let id = item["subscriptionID"]?.string {
                    partial.insert(id)
                }
            }
        }
        var tokens = Dictionary(uniqueKeysWithValues: names.map { ($0, String?.none) })
        guard !names.isEmpty else { return WatchLedger(tokens: tokens, partial: partial) }
        let wanted = names.sorted()
        let answer = try await requester.ask(
            .zonesLookup, ["zones": .array(wanted.map { ["zoneName": .string($0)] })],
            limit: .requestLimit)
        for (name, item) in zip(wanted, answer["zones"]?.array ?? []) {
            tokens[name] = .some(item["syncToken"]?.string)
            if let refusal = RequestFailure.Refusal(item) {
                guard refusal.code == "ZONE_NOT_FOUND" else { throw .refused(refusal) }
                tell(.trouble(.refused(refusal)))
            }
        }
        return WatchLedger(tokens: tokens, partial: partial)
    }
}
