/// The reason why a sync token is no longer valid.
package enum ChangeTokenExpiry: Hashable, Sendable {
    /// The zone was deleted and recreated, or the database was reset. The numbering of changes has restarted.
    case recreated
    /// The store was restored from a backup, so changes that the token covers might no longer exist.
    case restored
    /// The token predates deletions that are older than the retention period and have been purged.
    case purged
    /// The token was issued by an earlier version of the server.
    case outdated
    /// The user lost access to a share after the token was issued, and gained it again.
    case interrupted

    var reason: String {
        switch self {
        case .recreated: "its zone or database was deleted and recreated"
        case .restored: "the store was restored from a backup"
        case .purged: "it is older than the retention period for deletions"
        case .outdated: "an earlier version of the server issued it"
        case .interrupted: "access to a share was lost and gained again"
        }
    }
}
