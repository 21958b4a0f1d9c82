extension CKSyncEngine {
    /// What to fetch, and in which order.
    public struct FetchChangesOptions: Sendable, CustomStringConvertible {
        /// The zones whose changes are fetched.
        public var scope: CKSyncEngine.FetchChangesOptions.Scope
        /// The group of the operations.
        public var operationGroup: CKOperationGroup
        /// The zones that are fetched before the others, in this order. Zones without changes are skipped.
        public var prioritizedZoneIDs: [CKRecordZone.ID] = []

        /// Creates options. Without a group, the operations get a group of their own.
        public init(scope: CKSyncEngine.FetchChangesOptions.Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? .named("CKSyncEngine-FetchChanges")
        }

        /// The scope and the prioritized zones.
        public var description: String { "<FetchChangesOptions scope=\(scope) prioritized=\(prioritizedZoneIDs)>" }

        /// The zones whose changes are fetched.
        @nonexhaustive public enum Scope: Sendable, Equatable, CustomStringConvertible {
            /// All zones.
            case all
            /// All zones except these.
            case allExcluding([CKRecordZone.ID])
            /// Only these zones.
            case zoneIDs([CKRecordZone.ID])

            /// Returns whether the scope includes a zone.
            public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let ids): !ids.contains(zoneID)
                case .zoneIDs(let ids): ids.contains(zoneID)
                }
            }

            /// The kind of scope and its zones.
            public var description: String {
                switch self {
                case .all: "all"
                case .allExcluding(let ids): "allExcluding(\(ids))"
                case .zoneIDs(let ids): "zoneIDs(\(ids))"
                }
            }
        }
    }

    /// One attempt to fetch changes.
    public struct FetchChangesContext: Sendable, CustomStringConvertible {
        /// Why the engine fetches changes.
        public let reason: CKSyncEngine.SyncReason
        /// What it fetches.
        public let options: CKSyncEngine.FetchChangesOptions

        /// The reason and the options.
        public var description: String { "<FetchChangesContext reason=\(reason) options=\(options)>" }
    }
}

extension CKOperationGroup {
    /// Returns a group with a name.
    static func named(_ name: String) -> CKOperationGroup {
        let group = CKOperationGroup()
        group.name = name
        return group
    }
}
