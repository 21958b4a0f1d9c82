internal import AMQPClient
internal import CloudKitModel
internal import CoreMetrics
internal import Foundation
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// Finds changes whose events were lost without leaving a gap, because no later event of the zone has arrived.
///
/// A sweep examines a window of the change log, between two moments (snapshots of the record service). **No change is
/// missed**: each window begins where the previous one ended. A transaction that is in progress at that moment is not
/// part of the snapshot, so it falls into a later window. **Changes in transit are rarely repeated**: a window ends at
/// the moment of the previous sweep, so the events of its changes have had a whole period to arrive. **No finding is
/// lost**: changes above their zone's cursor are published to the shard's queue, and confirmed, before the window
/// advances; after a crash, the window is examined again. Only the last event of a zone is published. It carries no
/// records; the instance that delivers the shard reads the log from the zone's cursor up to this event.
struct Sweep: Sendable {
    /// The number of zones after which the events found so far are published.
    private static let maxFinds = 10_000

    let table: SweepTable
    let cursors: CursorTable
    let log: ChangeLogClient
    let send: ConfirmedPublish
    let metrics: SubscriptionMetrics
    /// The interval between sweeps.
    let period: Duration

    /// Runs one sweep, unless another instance has claimed it. The first sweep only records the current moment.
    ///
    /// - Throws: `PostgresError`, `AMQPError`, `ServerError`, ``ChangeLogClient/ZoneUnknown``. The window then does not
    ///   advance.
    func runOnce() async throws {
        // Any instance may claim the next sweep. A claim requires only that half a period has passed since the previous
        // one, so a single instance can claim every sweep.
        guard let window = try await table.claim(after: period.milliseconds / 2) else { return }
        // The moment is taken before the window is examined, because it will be the end of the next window, by which
        // time it must be a whole period old.
        let present = try await log.present()
        if let since = window.since, let upTo = window.upTo, since != upTo {
            try await examine(since: since, upTo: upTo)
        }
        try await table.replace(window, by: SweepTable.Window(since: window.upTo, upTo: present))
    }

    private func examine(since: String, upTo: String) async throws {
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
                try await publish(Array(finds.values))
                finds = [:]
            }
            guard !isLast else { return }
            after = page.after
        }
    }

    private func publish(_ events: [ChangeEvent]) async throws {
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
