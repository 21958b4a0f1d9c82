internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage
internal import Synchronization

/// Collects delivery statistics of subscriptions in memory, and writes them in batches. Operators can read the written
/// statistics. Statistics that have not been written yet are lost if the process is killed.
final class DeliveryJournal: Sendable {
    /// The maximum number of subscriptions recorded between writes. Firings of further subscriptions are not recorded.
    private static let maxEntries = 100_000

    private let table: DeliveryTable
    private let entries = Mutex<[UUID: DeliveryTable.Entry]>([:])

    /// Creates a journal that writes to `table`.
    init(table: DeliveryTable) { self.table = table }

    /// Records that the broker confirmed a firing's notification or, if `error` is not nil, refused it. May be called
    /// from any thread.
    func note(_ firing: Firing, error: String?) {
        let now = SystemClock.milliseconds()
        entries.withLock { entries in
            guard entries[firing.subscription.id] != nil || entries.count < Self.maxEntries else { return }
            var entry = entries[firing.subscription.id] ?? DeliveryTable.Entry()
            if let error {
                entry.refused += 1
                entry.error = error
            } else {
                entry.delivered += 1
            }
            entry.seq = firing.seq
            entry.zone = firing.change.event.address.zone.rawValue
            entry.at = now
            entry.lag = max(0, now - firing.change.event.at)
            entries[firing.subscription.id] = entry
        }
    }

    /// Writes the statistics recorded since the last run. They are lost if the write fails.
    ///
    /// - Throws: `PostgresError`.
    func runOnce() async throws {
        let noted = entries.withLock { entries in
            defer { entries = [:] }
            return entries
        }
        if !noted.isEmpty { try await table.add(noted) }
    }
}
