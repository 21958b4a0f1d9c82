package import Foundation

/// A session that has ended, or a user whose account has been removed. The subscription service still has to remove the
/// registered clients that belong to the session or the user.
package struct Departure: Sendable, Hashable {
    /// The session or the user.
    package enum Subject: Sendable, Hashable {
        /// A session, by its id.
        case session(UUID)
        /// A user, by the record name in the container.
        case user(String)
    }

    /// The row's id.
    package var id: Int64
    /// The container and its environment.
    package var place: ContainerPlace
    /// The session or the user.
    package var subject: Subject
}
