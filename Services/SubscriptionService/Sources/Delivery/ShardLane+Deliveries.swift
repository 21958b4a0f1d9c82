internal import AMQPClient
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// The delivery of the zones' next changes.

extension ShardLane {
    /// Delivers the next changes of zones that are not costly.
    func deliver(
        _ runs: [(incarnation: UUID, run: ZoneSequencer<AMQPDelivery>.Run)], _ state: inout ShardState
    ) async throws {
        guard !runs.isEmpty else { return }
        let changes = runs.flatMap(\.run.changes)
        let outcome: Notifier.Outcome
        do {
            outcome = try await notifier.notify(changes)
        } catch let error as ServiceStopping {
            throw error
        } catch {
            // A defect that concerns one of the zones. Each zone is now delivered separately, so that the defect
            // affects no other zone.
            logger.error("a delivery round failed for a shard", metadata: ["error": "\(error.logDescription)"])
            for (incarnation, _) in runs { state.zones[incarnation]?.isCostly = true }
            return
        }
        metrics.recordLag(of: changes, outcome)
        for (incarnation, _) in runs {
            state.zones[incarnation]?.isCostly = outcome.costly.contains(incarnation)
            guard let reached = outcome.reached[incarnation] else { continue }
            state.zones[incarnation]?.sequencer.deliver(upTo: reached.seq, at: reached.at)
            state.behind.insert(incarnation)
        }
    }

    /// Begins the next delivery of a costly zone. The delivery runs concurrently with the rounds.
    func deliverCostly(_ state: inout ShardState, _ group: inout DiscardingTaskGroup) {
        guard let next = state.beginDelivery() else { return }
        metrics.costlyDeliveries.increment()
        group.addTask { [inputs, notifier, costlyDeliveries, clock, metrics, logger] in
            let outcome = await costlyDeliveries.withPermit { () async -> Notifier.Outcome? in
                do {
                    return try await notifier.notify(next.delivery)
                } catch is ServiceStopping {
                    return nil
                } catch is RightsCheck.Postponed {
                    return Notifier.Outcome(
                        costly: [next.delivery.incarnation], progress: next.delivery.progress, isPostponed: true)
                } catch {
                    // A defect. The changes are kept, and the delivery is retried.
                    logger.error("a delivery of a zone failed", metadata: ["error": "\(error.logDescription)"])
                    return nil
                }
            }
            if let outcome {
                metrics.recordLag(of: next.delivery.changes, outcome)
            } else {
                try? await clock.sleep(for: .seconds(1))
            }
            inputs.add(.costlyDelivered(next.delivery.incarnation, delivery: next.number, outcome))
        }
    }

    /// If too many events of a costly zone are held, acknowledges all but the last, so that the zone cannot use up the
    /// prefetch limit. The changes are read from the log later.
    ///
    /// - Returns: whether the log has to be read for the zone.
    @discardableResult
    func releaseHeld(_ incarnation: UUID, _ state: inout ShardState) -> Bool {
        let maxHeld = state.maxHeld(prefetch: prefetch)
        guard let zone = state.zones[incarnation], zone.sequencer.ticketCount > maxHeld else { return false }
        consumer.acknowledge(state.zones[incarnation]?.sequencer.keepLast() ?? [])
        if zone.search != .reading { state.zones[incarnation]?.search = .due }
        return true
    }
}

extension SubscriptionMetrics {
    /// Records the time from the commit of each delivered change to the broker's confirmation of its notifications.
    func recordLag(of changes: [ZoneChange], _ outcome: Notifier.Outcome) {
        let now = SystemClock.milliseconds()
        // The time of the commit comes from the record service's database, whose clock can be ahead of this machine's.
        for change in changes where change.toSeq <= outcome.reached[change.incarnation]?.seq ?? 0 {
            lag.record(Double(max(0, now - change.event.at)) / 1000)
        }
    }
}
