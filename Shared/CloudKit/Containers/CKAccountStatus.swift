/// Whether a user is signed in.
public enum CKAccountStatus: Int, Sendable {
    /// The status is not known.
    case couldNotDetermine = 0
    /// A user is signed in.
    case available = 1
    /// A policy forbids the use of the account.
    case restricted = 2
    /// No user is signed in.
    case noAccount = 3
    /// A user is signed in, but the account cannot be used yet.
    case temporarilyUnavailable = 4
}
