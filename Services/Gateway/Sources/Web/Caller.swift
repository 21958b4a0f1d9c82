internal import CloudKitModel
internal import Foundation

/// The sender of a request, as far as its credentials prove.
struct Caller: Sendable {
    /// How a caller has identified itself.
    enum Kind: Sendable, Hashable {
        /// With an API token alone, as no particular user.
        case world
        /// As a user who has signed in.
        case user(account: Int64)
        /// With a server-to-server key.
        case serverKey(id: String)
    }

    /// How it has identified itself.
    var kind: Kind
    /// The value of `zonda-user`: the user record name in the container, or `_world`.
    var userName: String
    /// The session of a user; nil for others.
    var session: UUID?
    /// The API token of the request; nil with a server-to-server key.
    var apiToken: String?
    /// The next web auth token of a user, which a header of every answer carries (web-services 4.3).
    var renewedToken: String?
    /// Makes the address of the sign-in page; nil with a server-to-server key.
    var signInURL: (@Sendable () -> String)?
}
