/// The users who request access to a share, and those who are blocked from it.
package struct AccessRequests: Sendable, Hashable {
    /// A row of `record.requester`.
    package struct Requester: Sendable, Hashable {
        /// The user's record name.
        package let user: String
        /// The user's verified email address, in lower case; nil if there is none.
        package let email: String?
        /// Whether the user is blocked.
        package var isBlocked: Bool

        /// Creates a requester.
        package init(user: String, email: String?, isBlocked: Bool) {
            self.user = user
            self.email = email
            self.isBlocked = isBlocked
        }
    }

    /// Whether users who are not participants may request access.
    package var areAllowed: Bool
    /// The users, ordered by record name. For a ``ShareVisitor``, only the visitor is read.
    package var requesters: [Requester]
    /// The number of pending requests of users who are not in ``requesters``; 0 if it is not needed.
    package let otherPending: Int

    /// Creates the requests of a share.
    package init(areAllowed: Bool = false, requesters: [Requester] = [], otherPending: Int = 0) {
        self.areAllowed = areAllowed
        self.requesters = requesters
        self.otherPending = otherPending
    }

    /// The number of pending requests.
    package var pendingCount: Int { otherPending + requesters.count { !$0.isBlocked } }

    /// Returns whether `user` is blocked.
    package func isBlocked(_ user: String) -> Bool { requesters.contains { $0.user == user && $0.isBlocked } }

    /// Returns whether `user` has requested access.
    package func isPending(_ user: String) -> Bool { requesters.contains { $0.user == user && !$0.isBlocked } }
}
