/// Why a sync token is of no use any more.
package enum ChangeTokenExpiry: Hashable, Sendable {
    /// The zone was deleted and made again, or the database was reset: its history began anew.
    case recreated
    /// The store was restored from a backup: what the token saw may never have happened.
    case restored
    /// Deletions that the token does not know of are older than the retention and were purged.
    case purged
    /// An earlier version of the server made it.
    case outdated

    var reason: String {
        switch self {
        case .recreated: "its zone or database was deleted and made again"
        case .restored: "the store was restored from a backup"
        case .purged: "it is older than the retention of deletions"
        case .outdated: "an earlier version of the server issued it"
        }
    }
}
