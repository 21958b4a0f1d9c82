extension CKSyncEngine {
    /// Why the engine fetches or sends changes.
    @nonexhaustive public enum SyncReason: Sendable, Hashable, CustomStringConvertible {
        /// The engine decided to.
        case scheduled
        /// The application called ``CKSyncEngine/fetchChanges(_:)`` or ``CKSyncEngine/sendChanges(_:)``.
        case manual

        /// The name of the case.
        public var description: String {
            switch self {
            case .scheduled: "scheduled"
            case .manual: "manual"
            }
        }
    }
}
