internal import AMQPClient
internal import Foundation
internal import RequestServing

/// The search for changes that have not arrived.

extension ShardLane {
    /// Waits for a zone's next change if it might merely be late. Otherwise, reads the change from the change log.
    ///
    /// - Parameter obstacle: why the zone's waiting changes cannot be delivered; nil if no changes are waiting.
    func closeGap(
        _ incarnation: UUID, _ obstacle: ZoneSequencer<AMQPDelivery>.Obstacle?, _ state: inout ShardState,
        _ group: inout DiscardingTaskGroup
    ) {
        guard var zone = state.zones[incarnation] else { return }
        defer { state.zones[incarnation] = zone }
        let seq = zone.sequencer.delivered
        switch (obstacle, zone.search) {
        case (_, .reading), (.some, .waiting(after: seq)): break
        case (nil, _): (zone.search, zone.failedReads) = (.idle, 0)
        case (_, .due),
            (.unreadable, _) where zone.failedReads == 0:
            zone.search = .reading
            group.addTask { [inputs, log, logReads] in
                let page = await logReads.withPermit { () async -> Result<ChangeLogClient.Page, any Error> in
                    do {
                        return .success(try await log.changes(of: incarnation, after: seq))
                    } catch {
                        return .failure(error)
                    }
                }
                inputs.add(.logRead(incarnation, page))
            }
        default:
            zone.search = .waiting(after: seq)
            let wait = min(Self.patience * (1 << min(zone.failedReads, 10)), Self.maxWait)
            group.addTask { [inputs, clock] in
                try? await clock.sleep(for: wait)
                inputs.add(.gapWaitEnded(incarnation, after: seq))
            }
        }
        if (obstacle == .gap && zone.search == .reading) || zone.sequencer.ticketCount > Self.maxHeld {
            consumer.acknowledge(zone.sequencer.keepLast())
        }
    }
}
