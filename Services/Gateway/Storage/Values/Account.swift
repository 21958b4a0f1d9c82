/// A person who may sign in.
package struct Account: Sendable, Hashable {
    /// The row's id.
    package var id: Int64
    /// The e-mail address as it was given.
    package var email: String
    /// The given name, if known.
    package var givenName: String?
    /// The family name, if known.
    package var familyName: String?
    /// Whether others find the account by its e-mail address and see its name.
    package var isDiscoverable: Bool

    /// An account.
    package init(id: Int64, email: String, givenName: String?, familyName: String?, isDiscoverable: Bool) {
        self.id = id
        self.email = email
        self.givenName = givenName
        self.familyName = familyName
        self.isDiscoverable = isDiscoverable
    }
}

/// An account as one container knows it.
package struct ContainerUser: Sendable, Hashable {
    /// The person.
    package var account: Account
    /// The user record name in the container.
    package var userName: String

    /// An account with its name in a container.
    package init(account: Account, userName: String) {
        self.account = account
        self.userName = userName
    }
}

/// An account that is not in the database yet.
package struct NewAccount: Sendable {
    /// The e-mail address, unique among accounts.
    package var email: EmailAddress
    /// The given name, if known.
    package var givenName: String?
    /// The family name, if known.
    package var familyName: String?
    /// The password's hash; nil: the account has no password.
    package var password: String?
    /// Whether others find the account by its e-mail address and see its name.
    package var isDiscoverable: Bool

    /// An account to add.
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

/// An account in the operators' list.
package struct AccountListing: Sendable {
    /// The account.
    package var account: Account
    /// The address that lists are ordered by: ``EmailAddress/key``.
    package var emailKey: String
    /// Whether the account has a password.
    package var hasPassword: Bool
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// The containers that know the account, by identifier, each with its name for it.
    package var users: [(container: String, userName: String)]
}
