package import ServiceMessages

/// `users.token`: signs in to an account without a password.
package struct UserTokenRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.usersToken

    /// The email address of the account.
    package var email: String
    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// Whether the token is valid for 14 days instead of 30 minutes; nil means false.
    package var staysSignedIn: Bool?

    /// Creates a request.
    package init(email: String, container: String, environment: String, staysSignedIn: Bool?) {
        self.email = email
        self.container = container
        self.environment = environment
        self.staysSignedIn = staysSignedIn
    }

    /// A signed-in account.
    package struct Answer: Codable, Sendable {
        /// The email address of the account.
        package var email: String
        /// The container.
        package var container: String
        /// `development` or `production`.
        package var environment: String
        /// The user record name in the container.
        package var userRecordName: String
        /// The web auth token.
        package var webAuthToken: String
        /// The time at which the token expires, in milliseconds since 1970.
        package var expiresAt: Int64

        /// Creates an answer.
        package init(
            email: String, container: String, environment: String, userRecordName: String, webAuthToken: String,
            expiresAt: Int64
        ) {
            self.email = email
            self.container = container
            self.environment = environment
            self.userRecordName = userRecordName
            self.webAuthToken = webAuthToken
            self.expiresAt = expiresAt
        }
    }
}

/// `users.signIns`: lists an account's current sessions, most recently used first.
package struct UserSignInsRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.usersSignIns

    /// The email address of the account.
    package var email: String

    /// Creates a request.
    package init(email: String) { self.email = email }

    /// The sessions of an account.
    package struct Answer: Codable, Sendable {
        /// The email address of the account.
        package var email: String
        /// The sessions.
        package var signIns: [UserSignIn]

        /// Creates an answer.
        package init(email: String, signIns: [UserSignIn]) {
            self.email = email
            self.signIns = signIns
        }
    }
}

/// A session. Times are in milliseconds since 1970.
package struct UserSignIn: Codable, Sendable, Equatable {
    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// The time of the sign-in.
    package var created: Int64
    /// The time of the last use, accurate to within five minutes.
    package var lastUsed: Int64
    /// The address of the client that last used the session, if known.
    package var address: String?
    /// The name of the API token that the client used to sign in, if known.
    package var application: String?
    /// Whether the user chose to stay signed in.
    package var staysSignedIn: Bool
    /// The time at which the session ends.
    package var endsAt: Int64

    /// Creates a session.
    package init(
        container: String, environment: String, created: Int64, lastUsed: Int64, address: String?,
        application: String?, staysSignedIn: Bool, endsAt: Int64
    ) {
        self.container = container
        self.environment = environment
        self.created = created
        self.lastUsed = lastUsed
        self.address = address
        self.application = application
        self.staysSignedIn = staysSignedIn
        self.endsAt = endsAt
    }
}

/// `users.signOut`: ends all sessions of an account.
package struct UserSignOutRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.usersSignOut

    /// The email address of the account.
    package var email: String

    /// Creates a request.
    package init(email: String) { self.email = email }

    /// The result.
    package struct Answer: Codable, Sendable {
        /// The email address of the account.
        package var email: String
        /// The number of sessions that were ended.
        package var sessions: Int

        /// Creates an answer.
        package init(email: String, sessions: Int) {
            self.email = email
            self.sessions = sessions
        }
    }
}
