package import CloudKitModel
internal import SignedTokens

/// A container's API token. It grants access to public data and to the sign-in page.
package struct APIToken: Sendable, Hashable {
    /// The text of the token: 64 lower-case hexadecimal digits.
    package var token: String
    /// The container's identifier.
    package var container: String
    /// The environment of the container.
    package var environment: EnvironmentName
    /// The name that the operator gave to the token.
    package var name: String
    /// The web origins, such as `https://example.org`, that are allowed to use the token; empty if all origins are
    /// allowed.
    package var origins: [String]
    /// The address to which the sign-in page redirects the browser with the web auth token. If this is nil, the page
    /// posts the token to the window that opened the page.
    package var callbackURL: String?

    /// Creates a token for an environment.
    package init(
        token: String, container: String, environment: EnvironmentName, name: String, origins: [String],
        callbackURL: String?
    ) {
        self.token = token
        self.container = container
        self.environment = environment
        self.name = name
        self.origins = origins
        self.callbackURL = callbackURL
    }

    /// Returns whether `text` has the form of a token, or of a server-to-server key's id: 64 hexadecimal digits.
    /// Clients require this form.
    package static func isToken(_ text: String) -> Bool {
        text.utf8.count == 64 && Hexadecimal.decode(text) != nil
    }

    /// Returns whether pages from `origin` are allowed to use the token. A client that is not a web page sends no
    /// origin.
    package func allows(origin: String) -> Bool {
        origins.isEmpty || origins.contains { $0.utf8.elementsEqual(origin.utf8) }
    }
}

/// An API token as listed for operators.
package struct APITokenListing: Sendable {
    /// The token.
    package var token: APIToken
    /// The time at which the token was created, in milliseconds since 1970.
    package var createdAt: Int64
    /// The time at which the token was revoked, in milliseconds since 1970; nil for an active token.
    package var revokedAt: Int64?

    /// Creates a list item.
    package init(token: APIToken, createdAt: Int64, revokedAt: Int64?) {
        self.token = token
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }

    /// The position in the list.
    package var position: ListPosition {
        ListPosition(
            ContainerPlace(container: token.container, environment: token.environment), id: token.token)
    }
}
