/// A person who may sign in.
struct Account: Sendable, Hashable {
    /// The row's.
    var id: Int64
    /// As it was given.
    var email: String
    /// The given name, if one is known.
    var givenName: String?
    /// The family name, if one is known.
    var familyName: String?
    /// Whether others find the account by its e-mail address, and see its name.
    var isDiscoverable: Bool
}

/// An account as one container knows it.
struct ContainerUser: Sendable, Hashable {
    /// The person.
    var account: Account
    /// The user record name in the container.
    var userName: String
}
