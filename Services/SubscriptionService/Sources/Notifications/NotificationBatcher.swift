internal import AMQPClient
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// Turns changes and firings into messages, and publishes them in batches.
struct NotificationBatcher: Sendable {
    /// The changes and firings that have not been published yet, in order.
    struct Batch {
        fileprivate enum Element {
            case zone(ChangeNotification, incarnation: UUID)
            case firing(Firing, ChangeNotification)
        }

        fileprivate var elements: [Element] = []
        /// The estimated maximum size of the messages, in bytes.
        fileprivate var bytes = 0
        /// The notifications of the change that was added last.
        fileprivate var notification: ChangeNotification?
    }

    /// When a batch reaches either of these limits, it is published and confirmed before more elements are added.
    private static let maxMessages = 2000
    private static let maxBytes = 8 << 20

    let firings: FiringTable
    let recipients: RecipientTable
    let publisher: NotificationPublisher
    let journal: DeliveryJournal
    let retry: DatabaseRetry

    /// Adds the zone's notification of a change. The firings that are added next belong to this change.
    ///
    /// - Throws: the same errors as ``publish(_:)``.
    func add(_ change: ZoneChange, to batch: inout Batch) async throws {
        let notification = ChangeNotification(change)
        batch.notification = notification
        batch.elements.append(.zone(notification, incarnation: change.incarnation))
        batch.bytes += notification.size
        try await publishIfFull(&batch)
    }

    /// Adds a firing for the change that was added last.
    ///
    /// - Throws: the same errors as ``publish(_:)``.
    func add(_ firing: Firing, to batch: inout Batch) async throws {
        guard let notification = batch.notification else { return }
        try await add(firing, of: notification, to: &batch)
    }

    /// Adds a firing for a change with the given notifications.
    ///
    /// - Throws: the same errors as ``publish(_:)``.
    func add(_ firing: Firing, of notification: ChangeNotification, to batch: inout Batch) async throws {
        batch.elements.append(.firing(firing, notification))
        // An estimate that includes the text, the fields and the clients.
        batch.bytes += firing.match == nil ? firing.shared?.size ?? notification.size : 4096
        try await publishIfFull(&batch)
    }

    /// Publishes a batch, and returns once the broker has confirmed each message or refused it twice. The batch is then
    /// empty.
    ///
    /// - Throws: `ServiceStopping` if the service is shutting down; `INTERNAL_ERROR` for a defect.
    func publish(_ batch: inout Batch) async throws {
        guard !batch.elements.isEmpty else { return }
        let elements = try await claimed(batch.elements)
        batch.elements = []
        batch.bytes = 0
        var recipients = try await Recipients(
            of: elements.compactMap(\.firing), table: self.recipients, retry: retry)
        let messages = elements.map { element in
            switch element {
            case .zone(let notification, let incarnation):
                return NotificationMessage(message: notification.message(), incarnation: incarnation, kind: .zone)
            case .firing(let firing, let notification):
                let message = notification.message(
                    for: firing, showing: recipients.info(of: firing), badge: recipients.nextBadge(of: firing),
                    clients: recipients.clients(of: firing))
                return NotificationMessage(message: message, incarnation: firing.change.incarnation, kind: .user)
            }
        }
        let lost = try await publisher.publish(messages)
        for (position, element) in elements.enumerated() {
            if let firing = element.firing { journal.note(firing, error: lost[position].map { "\($0.code)" }) }
        }
        let once = elements.compactMap(\.firing).filter(\.isOnly).map(\.subscription.id)
        if !once.isEmpty { try await retry.run(deadline: nil) { try await firings.confirm(once) } }
    }

    private func publishIfFull(_ batch: inout Batch) async throws {
        if batch.elements.count >= Self.maxMessages || batch.bytes >= Self.maxBytes { try await publish(&batch) }
    }

    /// Returns the elements, except the firings of subscriptions that fire only once and have already fired for another
    /// change.
    private func claimed(_ elements: [Batch.Element]) async throws -> [Batch.Element] {
        let once = elements.compactMap(\.firing).filter(\.isOnly)
        guard !once.isEmpty else { return elements }
        let claims = try await retry.run(deadline: nil) {
            try await firings.claim(once.map { FiringTable.Claim($0) })
        }
        return elements.filter { element in
            guard let firing = element.firing, firing.isOnly else { return true }
            return claims[firing.subscription.id].map { $0 == (firing.change.incarnation, firing.seq) } ?? false
        }
    }
}

extension NotificationBatcher.Batch.Element {
    fileprivate var firing: Firing? { if case .firing(let firing, _) = self { firing } else { nil } }
}

/// The recipients of a batch of firings: how their notifications are shown, their badges, and their registered clients.
private struct Recipients {
    private let infos: [UUID: NotificationInfo]
    private var badges: [RecipientTable.User: Int]
    private let clients: [RecipientTable.User: [RecipientTable.Client]]

    /// Reads the recipients, and increments their badges by the number of firings.
    init(of firings: [Firing], table: RecipientTable, retry: DatabaseRetry) async throws {
        let ids = Set(firings.map(\.subscription.id))
        let infos = try await retry.run(deadline: nil) { try await table.infos(of: ids) }
        self.infos = infos
        var counts: [RecipientTable.User: Int] = [:]
        for firing in firings where infos[firing.subscription.id]?.shouldBadge == true {
            counts[firing.user, default: 0] += 1
        }
        let users = Set(firings.map(\.user))
        let counted = counts
        badges = try await retry.run(deadline: nil) { try await table.countBadges(counted) }
        clients = try await retry.run(deadline: nil) { try await table.clients(of: users) }
        // The number that the user's first firing in this batch shows.
        for (user, count) in counts { badges[user] = max(1, (badges[user] ?? count) - count + 1) }
    }

    /// Returns how a firing is shown; nil if it has no text, sound or badge.
    func info(of firing: Firing) -> NotificationInfo? { infos[firing.subscription.id] }

    /// Returns the badge number that the next firing of a user shows; nil if it shows none.
    mutating func nextBadge(of firing: Firing) -> Int? {
        guard infos[firing.subscription.id]?.shouldBadge == true, let badge = badges[firing.user] else { return nil }
        badges[firing.user] = badge + 1
        return badge
    }

    /// Returns the routing keys of the clients that receive a firing: all clients of the user except the client that
    /// made the change.
    func clients(of firing: Firing) -> [String] {
        // A client of another user can have the same name.
        let event = firing.change.event
        let origin = event.user == firing.subscription.user ? event.client : nil
        return (clients[firing.user] ?? []).filter { $0.clientID == nil || $0.clientID != origin }.map(\.key)
    }
}

extension Firing {
    fileprivate var user: RecipientTable.User {
        RecipientTable.User(environment: subscription.environment, name: subscription.user)
    }
}
