package import ServiceMessages

/// `apiTokens.create`: creates an API token.
package struct APITokenCreateRequest: OperatorRequest {
    package typealias Answer = APITokenStatus
    package static let operation = ServiceMessages.Operation.apiTokensCreate

    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// The name shown in lists, 1 to 255 bytes.
    package var name: String
    /// The origins whose pages are allowed to use the token, at most 50; nil for all origins.
    package var origins: [String]?
    /// The URL to which the sign-in page redirects the user; if nil, the user returns to the page that opened the
    /// sign-in page.
    package var callbackURL: String?

    /// Creates a request.
    package init(container: String, environment: String, name: String, origins: [String]?, callbackURL: String?) {
        self.container = container
        self.environment = environment
        self.name = name
        self.origins = origins
        self.callbackURL = callbackURL
    }
}

/// `apiTokens.list`: lists the API tokens, including revoked ones.
package struct APITokenListRequest: OperatorListRequest {
    package static let operation = ServiceMessages.Operation.apiTokensList

    /// The container; nil for all containers.
    package var container: String?
    /// The environment; nil for both environments.
    package var environment: String?
    /// The `after` of the preceding page; nil for the first page.
    package var after: String?
    /// The length of a page, from 1 to 1,000; nil means 200.
    package var limit: Int?

    /// Creates a request.
    package init(container: String? = nil, environment: String? = nil, after: String? = nil, limit: Int? = nil) {
        self.container = container
        self.environment = environment
        self.after = after
        self.limit = limit
    }

    /// A page of tokens.
    package struct Answer: OperatorPage, Codable, Sendable {
        /// The tokens.
        package var apiTokens: [APITokenStatus]
        /// The position at which the next page begins; nil for the last page.
        package var after: String?

        /// Creates an answer.
        package init(apiTokens: [APITokenStatus], after: String?) {
            self.apiTokens = apiTokens
            self.after = after
        }
    }
}

/// `apiTokens.revoke`: revokes an API token.
package struct APITokenRevokeRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.apiTokensRevoke

    /// The token.
    package var token: String

    /// Creates a request.
    package init(token: String) { self.token = token }

    /// The result.
    package struct Answer: Codable, Sendable {
        /// The token in lower case.
        package var token: String
        /// Whether the token was active.
        package var revoked: Bool

        /// Creates an answer.
        package init(token: String, revoked: Bool) {
            self.token = token
            self.revoked = revoked
        }
    }
}

/// An API token. Times are in milliseconds since 1970.
package struct APITokenStatus: Codable, Sendable, Equatable {
    /// The token: 64 hexadecimal digits.
    package var token: String
    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// The name.
    package var name: String
    /// The origins whose pages are allowed to use the token; empty for all origins.
    package var origins: [String]
    /// The URL to which the sign-in page redirects the user; if nil, the user returns to the page that opened the
    /// sign-in page.
    package var callbackURL: String?
    /// The time at which the token was created.
    package var created: Int64
    /// The time at which the token was revoked; nil for an active token.
    package var revokedAt: Int64?

    /// Creates a token.
    package init(
        token: String, container: String, environment: String, name: String, origins: [String], callbackURL: String?,
        created: Int64, revokedAt: Int64? = nil
    ) {
        self.token = token
        self.container = container
        self.environment = environment
        self.name = name
        self.origins = origins
        self.callbackURL = callbackURL
        self.created = created
        self.revokedAt = revokedAt
    }
}
