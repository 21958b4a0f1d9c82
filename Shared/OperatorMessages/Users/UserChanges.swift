package import ServiceMessages

/// `users.password`: changes or removes the password of an account.
package struct UserPasswordRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.usersPassword

    /// The email address of the account.
    package var email: String
    /// The new password; nil removes the old one.
    package var password: String?
    /// Whether to keep the account's sessions instead of ending them; nil means false.
    package var keepsSignIns: Bool?

    /// Creates a request.
    package init(email: String, password: String?, keepsSignIns: Bool?) {
        self.email = email
        self.password = password
        self.keepsSignIns = keepsSignIns
    }

    /// The result.
    package struct Answer: Codable, Sendable {
        /// The email address of the account.
        package var email: String
        /// Whether the account now has a password.
        package var hasPassword: Bool
        /// The number of sessions that were ended.
        package var sessions: Int

        /// Creates an answer.
        package init(email: String, hasPassword: Bool, sessions: Int) {
            self.email = email
            self.hasPassword = hasPassword
            self.sessions = sessions
        }
    }
}

/// `users.delete`: deletes an account. The records that its user saved remain.
package struct UserDeleteRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.usersDelete

    /// The email address of the account.
    package var email: String

    /// Creates a request.
    package init(email: String) { self.email = email }

    /// The result.
    package struct Answer: Codable, Sendable {
        /// The email address of the account.
        package var email: String
        /// Whether the account existed.
        package var deleted: Bool

        /// Creates an answer.
        package init(email: String, deleted: Bool) {
            self.email = email
            self.deleted = deleted
        }
    }
}
