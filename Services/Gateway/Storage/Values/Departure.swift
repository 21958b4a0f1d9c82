package import Foundation

/// A sign-in that has ended, or a user whose account has been removed. The subscription service still has to remove the
/// registered clients that belong to the sign-in or the user.
package struct Departure: Sendable, Hashable {
    /// The sign-in or the user.
    package enum Subject: Sendable, Hashable {
        /// A sign-in, by the id of its session.
        case session(UUID)
        /// A user, by the record name in the container.
        case user(String)
    }

    /// The row's id.
    package var id: Int64
    /// The container and its environment.
    package var place: ContainerPlace
    /// The sign-in or the user.
    package var subject: Subject
}
