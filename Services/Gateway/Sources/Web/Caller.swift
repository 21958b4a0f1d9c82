internal import CloudKitModel
internal import Foundation

/// The sender of a request, as proven by the request's credentials.
struct Caller: Sendable {
    /// How a caller is identified.
    enum Kind: Sendable, Hashable {
        /// Authenticated only by an API token; no user has signed in.
        case world
        /// Authenticated by the web auth token of a user who has signed in.
        case user(account: Int64)
        /// Authenticated by a server-to-server key.
        case serverKey(id: String)
    }

    /// How the caller is identified.
    var kind: Kind
    /// The value of `zonda-user`: the user record name in the container, or `_world`.
    var userName: String
    /// The verified email address of a user, in requests that need it.
    var email: String?
    /// The session of a user; nil for other callers.
    var session: UUID?
    /// The API token of the request; nil with a server-to-server key.
    var apiToken: String?
    /// The next web auth token for a user, sent in a header of every response (web-services 4.3).
    var renewedToken: String?
    /// Returns the address of the sign-in page; nil with a server-to-server key.
    var signInURL: (@Sendable () -> String)?
}
