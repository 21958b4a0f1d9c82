package import ServiceMessages

/// `users.create`: creates an account.
package struct UserCreateRequest: OperatorRequest {
    package typealias Answer = UserAccount
    package static let operation = ServiceMessages.Operation.usersCreate

    /// The email address of the account.
    package var email: String
    /// The given name, 1 to 255 bytes.
    package var givenName: String?
    /// The family name, 1 to 255 bytes.
    package var familyName: String?
    /// Whether other users can find the account and see its name; nil means false.
    package var discoverable: Bool?
    /// A container in which the account gets a user record name.
    package var container: String?
    /// The user record name in that container; nil to generate a name. It may be a name that already owns data.
    package var userRecordName: String?
    /// The password; nil for an account that cannot sign in with a password.
    package var password: String?

    /// Creates a request.
    package init(
        email: String, givenName: String?, familyName: String?, discoverable: Bool?, container: String?,
        userRecordName: String?, password: String?
    ) {
        self.email = email
        self.givenName = givenName
        self.familyName = familyName
        self.discoverable = discoverable
        self.container = container
        self.userRecordName = userRecordName
        self.password = password
    }
}

/// `users.list`: lists the accounts, ordered by email address.
package struct UserListRequest: OperatorListRequest {
    package static let operation = ServiceMessages.Operation.usersList

    /// The `after` of the preceding page; nil for the first page.
    package var after: String?
    /// The length of a page, from 1 to 1,000; nil means 200.
    package var limit: Int?

    /// Creates a request.
    package init(after: String? = nil, limit: Int? = nil) {
        self.after = after
        self.limit = limit
    }

    /// A page of accounts.
    package struct Answer: OperatorPage, Codable, Sendable {
        /// The accounts.
        package var users: [UserAccount]
        /// The position at which the next page begins; nil for the last page.
        package var after: String?

        /// Creates an answer.
        package init(users: [UserAccount], after: String?) {
            self.users = users
            self.after = after
        }
    }
}

/// An account. The answer to `users.create` contains the account's user record name in one container; the answer to
/// `users.list` contains its names in all containers.
package struct UserAccount: Codable, Sendable, Equatable {
    /// The email address as the operator wrote it.
    package var email: String
    /// The given name, if known.
    package var givenName: String?
    /// The family name, if known.
    package var familyName: String?
    /// Whether other users can find the account and see its name.
    package var discoverable: Bool
    /// Whether the account has a password.
    package var hasPassword: Bool
    /// The time at which the account was created, in milliseconds since 1970.
    package var created: Int64
    /// The container that the request names; only in answers to `users.create`.
    package var container: String?
    /// The user record name in ``container``; only in answers to `users.create`.
    package var userRecordName: String?
    /// The containers in which the account has a user record name; only in answers to `users.list`.
    package var containers: [Container]?

    /// Creates an account.
    package init(
        email: String, givenName: String?, familyName: String?, discoverable: Bool, hasPassword: Bool, created: Int64,
        container: String? = nil, userRecordName: String? = nil, containers: [Container]? = nil
    ) {
        self.email = email
        self.givenName = givenName
        self.familyName = familyName
        self.discoverable = discoverable
        self.hasPassword = hasPassword
        self.created = created
        self.container = container
        self.userRecordName = userRecordName
        self.containers = containers
    }

    /// A container in which an account has a user record name.
    package struct Container: Codable, Sendable, Equatable {
        /// The container.
        package var container: String
        /// The user record name.
        package var userRecordName: String

        /// Creates a container.
        package init(container: String, userRecordName: String) {
            self.container = container
            self.userRecordName = userRecordName
        }
    }
}
