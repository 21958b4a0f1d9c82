import ArgumentParser
import CloudKitModel
import ServiceMessages

/// A database whose zones can be watched.
package struct WatchedDatabase: Sendable {
    private let scope: RequestScope
    private let owner: String

    /// Creates the database of `scope`.
    ///
    /// - Throws: a `ValidationError` for a private database without a user, and for a shared database, because
    ///   notifications identify a zone by its owner, who is unknown for shared zones.
    package init(_ scope: RequestScope) throws {
        guard scope.database != .shared else {
            throw ValidationError("Only public and private databases can be watched")
        }
        guard let owner = scope.database == .public ? ZoneAddress.publicOwner : scope.user else {
            throw ValidationError("A private database requires a user: specify --user or set ZONDA_USER")
        }
        self.scope = scope
        self.owner = owner
    }

    /// Whether subscriptions to the database's zones can be saved, which is possible only in a private database.
    package var hasSubscriptions: Bool { scope.database == .private }

    /// Returns the routing key of a zone's notifications.
    package func key(ofZone zone: String) -> String {
        RoutingKey.zoneNotification(
            ZoneAddress(
                container: scope.container, environment: scope.environment, scope: scope.database, owner: owner,
                zone: ZoneName(unchecked: zone)))
    }

    /// Returns the routing key of the notifications for a subscription that the user saved.
    package func key(ofSubscription id: String) -> String {
        RoutingKey.userNotification(
            container: scope.container, environment: scope.environment,
            user: scope.user ?? RequestContext.world, subscriptionID: id)
    }
}
