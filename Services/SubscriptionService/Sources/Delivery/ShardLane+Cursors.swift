internal import AMQPClient
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import RequestServing
internal import SubscriptionStorage

/// The cursors of the shard's zones.
extension ShardLane {
    /// The number of changes that are delivered again when a cursor is lowered.
    private static let repeatedChanges: Int64 = 100

    /// Reads the unknown cursors of open zones, and acknowledges the events whose changes the cursors already cover.
    ///
    /// A cursor can be behind the delivered changes if the database was restored or failed over to a replica that
    /// lacked the last commits. These changes are then delivered again, because the compare-and-set succeeds only for a
    /// move that starts at the cursor's position.
    func readCursors(_ state: inout ShardState) async throws {
        let unknown = state.open.filter { state.zones[$0]?.isCursorKnown == false }
        let known =
            unknown.isEmpty ? [:] : try await retry.run(deadline: nil) { try await cursors.read(unknown) }
        var repeats = 0
        for incarnation in state.open {
            let isUnknown = unknown.contains(incarnation)
            state.zones[incarnation]?.isCursorKnown = true
            let deliveries =
                isUnknown
                ? state.zones[incarnation]?.sequencer.place(
                    at: known[incarnation]?.seq ?? 0, at: known[incarnation]?.at ?? 0)
                : state.zones[incarnation]?.sequencer.settle(upTo: 0)
            consumer.acknowledge(deliveries ?? [])
            repeats += deliveries?.count ?? 0
        }
        metrics.repeats.increment(by: repeats)
    }

    /// Lowers the cursors that are ahead of their zones. A cursor is ahead if the database has lost delivered changes
    /// and has given their numbers to new changes. Changes that precede the first one known to be new might be new as
    /// well, so up to ``repeatedChanges`` of them are delivered again. The versions of audiences might have been given
    /// again too, so the zones' audiences are removed from the cache.
    func lowerCursors(_ state: inout ShardState) async throws {
        var cursors: [UUID: CursorTable.Cursor] = [:]
        for incarnation in state.open {
            // A move in progress would raise the cursor again. When it ends, the zone is reopened.
            guard let zone = state.zones[incarnation], zone.move == nil, let first = zone.sequencer.firstReissued
            else {
                continue
            }
            cursors[incarnation] = CursorTable.Cursor(
                seq: max(0, first - 1 - Self.repeatedChanges), at: zone.sequencer.deliveredAt)
        }
        guard !cursors.isEmpty else { return }
        notifier.audiences.cache.remove(of: Set(cursors.keys))
        try await retry.run(deadline: nil) { try await self.cursors.lower(cursors.mapValues(\.seq)) }
        for (incarnation, cursor) in cursors {
            consumer.acknowledge(
                state.zones[incarnation]?.sequencer.place(at: cursor.seq, at: cursor.at) ?? [])
            logger.warning(
                "the database has lost changes that were delivered; the zone's cursor is lowered",
                metadata: ["incarnation": "\(incarnation)", "cursor": "\(cursor.seq)"])
        }
        metrics.cursorsLowered.increment(by: cursors.count)
    }

    /// Discards the zones that are unknown to the record service, and their cursors.
    func dropUnknownZones(
        _ state: inout ShardState
    ) async throws {
        // A move in progress would create the cursor again.
        let unknown = state.unknown.filter {
            state.zones[$0]?.move == nil && state.zones[$0]?.delivery == nil
        }
        guard !unknown.isEmpty else { return }
        try await retry.run(deadline: nil) {
            try await cursors.remove(unknown)
        }
        for incarnation in unknown {
            var zone = state.zones.removeValue(forKey: incarnation)
            consumer.acknowledge(zone?.sequencer.settle(upTo: .max) ?? [])
            logger.warning(
                "the record service does not know a zone; its changes are discarded",
                metadata: ["incarnation": "\(incarnation)"])
        }
        state.unknown.subtract(unknown)
        metrics.zonesGivenUp.increment(by: unknown.count)
    }

    /// Pauses a zone after a failed move of its cursor. Each consecutive failure makes the pause longer.
    func backOff(
        _ incarnation: UUID, _ state: inout ShardState,
        _ group: inout DiscardingTaskGroup
    ) {
        let failures = state.zones[incarnation]?.failedMoves ?? 0
        pause(
            incarnation, for: min(Self.patience * (1 << min(max(failures, 2) - 2, 10)), Self.maxWait), &state, &group)
    }

    /// Pauses a zone: until the pause has ended, its changes are not delivered and its cursor is not moved.
    func pause(
        _ incarnation: UUID, for wait: Duration, _ state: inout ShardState, _ group: inout DiscardingTaskGroup
    ) {
        state.zones[incarnation]?.isBackingOff = true
        group.addTask { [inputs, clock] in
            try? await clock.sleep(for: wait)
            inputs.add(.backOffEnded(incarnation))
        }
    }
}
