internal import AMQPClient
internal import CloudKitModel
internal import CoreMetrics
internal import Foundation
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// Finds changes whose events were lost whole, so that no later event of their zone reveals the gap.
///
/// The change log is looked at in windows, each between two moments (snapshots of the record service's). **Nothing is
/// left out**: the windows follow each other without a gap, since one's end is the next one's beginning; a transaction
/// that is still at work at a window's end is not seen by that moment, and is in a later window. **Nothing in flight is
/// repeated**, as a rule: a window ends at the moment of the sweep before, so that what is found in it has had a period
/// to arrive. **Nothing is lost on the way**: what is above its zone's cursor goes into the shard's queue, confirmed,
/// before the window is moved on; after a crash in between it is done again. One event per zone suffices, the last: it
/// carries no records, and whoever has the shard reads the log from the zone's cursor up to it.
struct Sweep: Sendable {
    /// Zones found before they are published.
    private static let maxFinds = 10_000

    let table: SweepTable
    let cursors: CursorTable
    let log: ChangeLogClient
    let send: ConfirmedPublish
    let metrics: SubscriptionMetrics
    /// The time between two sweeps.
    let period: Duration

    /// One sweep, unless another instance is at it. The first only learns the present moment.
    ///
    /// - Throws: `PostgresError`, `AMQPError`, `ServerError`, ``ChangeLogClient/ZoneUnknown``; the window then stays.
    func runOnce() async throws {
        // Instances take turns as they come; with half a period between them the only one takes every turn.
        guard let window = try await table.claim(after: period.milliseconds / 2) else { return }
        // Before the look: it is the end of the next window, which has to be a period old by then.
        let present = try await log.present()
        if let since = window.since, let upTo = window.upTo, since != upTo { try await look(since: since, upTo: upTo) }
        try await table.replace(window, by: SweepTable.Window(since: window.upTo, upTo: present))
    }

    private func look(since: String, upTo: String) async throws {
        var finds: [UUID: ChangeEvent] = [:]
        var after: String?
        while true {
            let page = try await log.changes(since: since, upTo: upTo, after: after)
            let cursors = try await cursors.read(Set(page.changes.map(\.incarnation)))
            for change in page.changes where cursors[change.incarnation]?.covers(change) != true {
                if change.toSeq > finds[change.incarnation]?.toSeq ?? 0 { finds[change.incarnation] = change.event }
            }
            let isLast = !page.moreComing || page.after == nil
            if isLast || finds.count >= Self.maxFinds {
                try await putBack(Array(finds.values))
                finds = [:]
            }
            guard !isLast else { return }
            after = page.after
        }
    }

    private func putBack(_ events: [ChangeEvent]) async throws {
        let messages = events.map { event in
            var message = event.message()
            message.exchange = ""
            message.routingKey = Queue.subscriptionChanges(RoutingKey.shard(of: event.address))
            message.isMandatory = true
            return message
        }
        for result in await send(messages) { try result.get() }
        metrics.sweepFinds.increment(by: events.count)
    }
}
