/// A person who can sign in.
package struct Account: Sendable, Hashable {
    /// The row's id.
    package var id: Int64
    /// The email address as the operator wrote it.
    package var email: String
    /// The given name, if known.
    package var givenName: String?
    /// The family name, if known.
    package var familyName: String?
    /// Whether other users can find the account and see its name.
    package var isDiscoverable: Bool

    /// Creates an account.
    package init(id: Int64, email: String, givenName: String?, familyName: String?, isDiscoverable: Bool) {
        self.id = id
        self.email = email
        self.givenName = givenName
        self.familyName = familyName
        self.isDiscoverable = isDiscoverable
    }
}

/// An account in its role as a user of one container.
package struct ContainerUser: Sendable, Hashable {
    /// The person.
    package var account: Account
    /// The user record name in the container.
    package var userName: String

    /// Creates a user of a container.
    package init(account: Account, userName: String) {
        self.account = account
        self.userName = userName
    }
}

/// An account that is not in the database yet.
package struct NewAccount: Sendable {
    /// The email address, unique among accounts.
    package var email: EmailAddress
    /// The given name, if known.
    package var givenName: String?
    /// The family name, if known.
    package var familyName: String?
    /// The hash of the password; nil if the account has no password.
    package var password: String?
    /// Whether other users can find the account and see its name.
    package var isDiscoverable: Bool

    /// Creates an account to add.
    package init(
        email: EmailAddress, givenName: String?, familyName: String?, password: String?, isDiscoverable: Bool
    ) {
        self.email = email
        self.givenName = givenName
        self.familyName = familyName
        self.password = password
        self.isDiscoverable = isDiscoverable
    }
}

/// An account as listed for operators.
package struct AccountListing: Sendable {
    /// The account.
    package var account: Account
    /// The form of the address by which lists are ordered: ``EmailAddress/key``.
    package var emailKey: String
    /// Whether the account has a password.
    package var hasPassword: Bool
    /// The time at which the account was created, in milliseconds since 1970.
    package var createdAt: Int64
    /// The containers in which the account has a user record name, ordered by identifier.
    package var users: [(container: String, userName: String)]
}
