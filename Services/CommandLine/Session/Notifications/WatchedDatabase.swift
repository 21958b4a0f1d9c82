import ArgumentParser
import CloudKitModel
import ServiceMessages

/// A database whose zones can be listened to.
package struct WatchedDatabase: Sendable {
    private let scope: RequestScope
    private let owner: String

    /// The database of `scope`.
    ///
    /// - Throws: a `ValidationError` when it is nobody's private one, or a shared one: notifications name a zone by its
    ///   owner, who is not known of shared zones.
    package init(_ scope: RequestScope) throws {
        guard scope.database != .shared else {
            throw ValidationError("Only a public database and the user's private one can be listened to")
        }
        guard let owner = scope.database == .public ? ZoneAddress.publicOwner : scope.user else {
            throw ValidationError("Whose private database? Give --user or set ZONDA_USER")
        }
        self.scope = scope
        self.owner = owner
    }

    /// Whether subscriptions to its zones can be saved: to those of a private database only.
    package var hasSubscriptions: Bool { scope.database == .private }

    /// The routing key of a zone's notifications.
    package func key(ofZone zone: String) -> String {
        RoutingKey.zoneNotification(
            ZoneAddress(
                container: scope.container, environment: scope.environment, scope: scope.database, owner: owner,
                zone: ZoneName(unchecked: zone)))
    }

    /// The routing key of the notifications of the user's saved subscription.
    package func key(ofSubscription id: String) -> String {
        RoutingKey.userNotification(
            container: scope.container, environment: scope.environment,
            user: scope.user ?? RequestContext.world, subscriptionID: id)
    }
}
