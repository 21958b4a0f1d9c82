/// The user who resolves or accepts a link.
package struct ShareCaller: Hashable, Sendable {
    /// The user's record name.
    package let user: String
    /// The verified email address of the user, in lower case; nil if there is none.
    package let email: String?

    /// Creates a caller.
    package init(user: String, email: String?) {
        self.user = user
        self.email = email
    }
}
