internal import CloudKitModel
internal import Foundation

/// Who sends a request, as far as its credentials prove.
struct Caller: Sendable {
    /// What they are.
    enum Kind: Sendable, Hashable {
        /// An API token alone: nobody in particular.
        case world
        /// A user who has signed in.
        case user(account: Int64)
        /// A server-to-server key.
        case serverKey(id: String)
    }

    /// What they are.
    var kind: Kind
    /// For `zonda-user`: the user record name in the container, or `_world`.
    var userName: String
    /// The sign-in of a user; nil for others.
    var session: UUID?
    /// The API token that came along; nil with a server-to-server key.
    var apiToken: String?
    /// The next web auth token, for the header of every answer to a user who has signed in (web-services 4.3).
    var renewedToken: String?
    /// Makes the address where to sign in; nil with a server-to-server key.
    var signInURL: (@Sendable () -> String)?
}
