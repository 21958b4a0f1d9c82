extension CKSyncEngine.Event {
    /// A user has signed in or out.
    ///
    /// When a user signs out or another user signs in, the engine has forgotten the pending changes, because they belonged
    /// to the former user. Changes that were added while no user was signed in stay pending.
    public struct AccountChange: Sendable, CustomStringConvertible {
        /// What has happened.
        public let changeType: CKSyncEngine.Event.AccountChange.ChangeType

        /// The kinds of changes of accounts.
        @nonexhaustive public enum ChangeType: Sendable, Equatable {
            /// A user has signed in.
            case signIn(currentUser: CKRecord.ID)
            /// The user has signed out.
            case signOut(previousUser: CKRecord.ID)
            /// Another user has signed in.
            case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
        }

        /// What has happened.
        public var description: String { "<AccountChange \(changeType)>" }
    }
}
