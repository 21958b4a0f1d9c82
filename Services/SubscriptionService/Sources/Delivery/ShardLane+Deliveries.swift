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

    /// Begins the next turn of a costly zone. The turn runs concurrently with the rounds.
    func deliverCostly(_ state: inout ShardState, _ group: inout DiscardingTaskGroup) {
        guard let next = state.beginDelivery() else { return }
        metrics.costlyDeliveries.increment()
        group.addTask { [self] in
            let outcome = await take(next.delivery, number: next.number)
            if let outcome {
                metrics.recordLag(of: next.delivery.changes, outcome)
            } else {
                try? await clock.sleep(for: .seconds(1))
            }
            inputs.add(.costlyDelivered(next.delivery.incarnation, delivery: next.number, outcome))
        }
    }

    /// Takes a turn of a separate delivery. The record service is asked for participants while no permit is held and
    /// other zones of the shard get their turns.
    ///
    /// - Returns: how far the delivery came; nil if the service is shutting down.
    private func take(_ delivery: SeparateDelivery, number: Int) async -> Notifier.Outcome? {
        var outcome: Notifier.Outcome
        do {
            outcome = try await costlyDeliveries.withPermit { try await notifier.announce(delivery) }
        } catch is ServiceStopping {
            return nil
        } catch {
            logDefect(error)
            return Notifier.Outcome(costly: [delivery.incarnation], progress: delivery.progress, isPostponed: true)
        }
        guard var participants = outcome.progress?.participants else { return outcome }
        if !participants.changes.isEmpty {
            guard delivery.includesParticipants else { return outcome }
            inputs.add(.announced(delivery: number))
        }
        var isComplete = false
        do {
            isComplete = try await notifier.notify(&participants, within: turnTime, permits: costlyDeliveries)
        } catch is ServiceStopping {
            return nil
        } catch {
            logDefect(error)
            outcome.isPostponed = true
        }
        outcome.add(participants, isComplete: isComplete, of: delivery.incarnation)
        return outcome
    }

    /// Logs an error of a separate delivery, unless the record service merely did not answer. The changes are kept, and
    /// the delivery is retried after a pause.
    private func logDefect(_ error: any Error) {
        guard !(error is RightsCheck.Postponed) else { return }
        logger.error("a delivery of a zone failed", metadata: ["error": "\(error.logDescription)"])
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
