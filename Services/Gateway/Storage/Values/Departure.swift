package import Foundation

/// A sign-in that has ended, or a user whose account was removed. The subscription service still has to forget the
/// registered clients.
package struct Departure: Sendable, Hashable {
    /// What ended.
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
    /// What ended.
    package var subject: Subject
}
