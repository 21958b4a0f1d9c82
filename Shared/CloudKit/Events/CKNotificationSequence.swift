/// The notifications of the user's subscriptions in a container, as an iPhone would receive them. Apple's framework has
/// no such type: there, the system delivers notifications to the application.
///
/// The sequence continues after interruptions of the connection and restarts of the server. It ends with an error if no
/// user is signed in. A notification may arrive late, and says only that something has changed: fetch the changes when
/// the sequence begins, and after each notification.
public struct CKNotificationSequence: AsyncSequence, Sendable {
    /// A notification.
    public typealias Element = CKNotification

    let container: CKContainer

    /// Returns an iterator, which registers the process for notifications when its first element is asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: EventFeed { [container] () throws(CKError) in try container.webConnection() })
    }

    /// Receives notifications.
    public struct Iterator: AsyncIteratorProtocol {
        var feed: EventFeed

        /// Waits for the next notification.
        ///
        /// - Throws: ``CKError/Code/notAuthenticated`` if no user is signed in; ``CKError/Code/operationCancelled`` if
        ///   the task was cancelled.
        public mutating func next() async throws -> CKNotification? {
            while true {
                guard case .event(let event) = try await feed.next() else { continue }
                if let notification = CKNotification.make(event) { return notification }
            }
        }
    }
}

extension CKContainer {
    /// The notifications of the user's subscriptions in this container. Apple's framework does not have this property.
    public var notifications: CKNotificationSequence { CKNotificationSequence(container: self) }
}

extension CKNotification {
    /// Reads the notification of an event; nil if the event contains none.
    static func make(_ event: ServerSentEvent) -> CKNotification? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(event.data.utf8)),
            let dictionary = object as? [AnyHashable: Any]
        else { return nil }
        return CKNotification(fromRemoteNotificationDictionary: dictionary)
    }
}
