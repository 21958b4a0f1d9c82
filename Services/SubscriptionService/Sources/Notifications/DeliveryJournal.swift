internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import Synchronization

/// Notes what became of notifications, and writes it down a while later, many at a time: for operators, and lost when the
/// service is killed.
final class DeliveryJournal: Sendable {
    /// What became of one subscription's notifications since the last time.
    struct Entry: Sendable {
        /// Notifications that the broker confirmed.
        var delivered: Int64 = 0
        /// Notifications that it refused.
        var refused: Int64 = 0
        /// What the last one told of.
        var seq: Int64 = 0
        var zone = ""
        /// When that was, in milliseconds since 1970.
        var at: Int64 = 0
        /// How long after the change's commit, in milliseconds.
        var lag: Int64 = 0
        /// Why the last refused one was.
        var error: String?
    }

    /// Past this many subscriptions new ones are not noted until the next writing.
    private static let maxEntries = 100_000

    private let table: DeliveryTable
    private let entries = Mutex<[UUID: Entry]>([:])

    /// A journal that is written into `table`.
    init(table: DeliveryTable) { self.table = table }

    /// Notes that the broker confirmed a firing's notification, or refused it because of `error`. Any thread.
    func note(_ firing: Firing, error: String?) {
        let now = SystemClock.milliseconds()
        entries.withLock { entries in
            guard entries[firing.subscription.id] != nil || entries.count < Self.maxEntries else { return }
            var entry = entries[firing.subscription.id] ?? Entry()
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

    /// Writes down what was noted. What cannot be written is lost.
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
