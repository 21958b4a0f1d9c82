import AMQPClient
import CloudKitWire
import ServiceMessages
import Synchronization
import TestSupport
import Testing

/// A user with a subscription to a database.
struct IsolationListener: Sendable {
    let user: SharingUser
    let database: String
    let id: String

    /// Saves the subscription.
    func subscribe() async throws {
        let saved = try await user.ask(
            .subscriptionsModify, in: database,
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": ["subscriptionID": .string(id), "subscriptionType": "database"],
                    ]
                ]
            ])
        try #require(saved.body["subscriptions"]?[0]?.errorCode == nil, "\(saved.body)")
    }
}

/// The notifications of several users.
final class Mailboxes: Sendable {
    private let boxes = Mutex<[String: TestMailbox<AMQPDelivery>]>([:])

    /// Adds the notifications of a user.
    func add(_ box: TestMailbox<AMQPDelivery>, of user: SharingUser) { boxes.withLock { $0[user.name] = box } }

    /// Waits until a user has been notified of `count` records.
    ///
    /// - Returns: the names of the records, in order.
    func names(_ user: SharingUser, _ count: Int) async throws -> [String] {
        guard let box = boxes.withLock({ $0[user.name] }) else { throw TestFailure("no mailbox of \(user.name)") }
        return try await box.names(count)
    }

    /// Whether a user has not been notified.
    func isSilent(_ user: SharingUser) -> Bool {
        boxes.withLock { $0[user.name] }.map(\.elements.isEmpty) ?? true
    }
}

extension ServiceStack {
    /// Collects the notifications of several subscriptions while `body` runs.
    func withMailboxes(
        _ listeners: [IsolationListener], _ mailboxes: Mailboxes, _ body: () async throws -> Void
    ) async throws {
        guard let listener = listeners.first else { return try await body() }
        try await withNotifications(ofSubscription: listener.id, of: listener.user.broker) { box in
            mailboxes.add(box, of: listener.user)
            try await withMailboxes(Array(listeners.dropFirst()), mailboxes, body)
        }
    }
}
