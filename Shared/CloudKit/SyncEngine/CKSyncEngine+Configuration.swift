extension CKSyncEngine {
    /// What an engine needs.
    public struct Configuration: Sendable, CustomStringConvertible {
        /// The private or the shared database.
        public var database: CKDatabase
        /// The serialization that was last handed over; nil for the first engine.
        public var stateSerialization: CKSyncEngine.State.Serialization?
        /// The delegate. The engine does not keep it alive.
        public var delegate: any CKSyncEngineDelegate
        /// Whether the engine decides when to fetch and to send. If not, it does only what the application asks for.
        public var automaticallySync: Bool
        /// The ID of the engine's subscription; nil for one that the engine chooses.
        public var subscriptionID: CKSubscription.ID?

        /// Creates a configuration of an engine that synchronizes automatically.
        public init(
            database: CKDatabase, stateSerialization: CKSyncEngine.State.Serialization?,
            delegate: any CKSyncEngineDelegate
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
            automaticallySync = true
            subscriptionID = nil
        }

        /// The database and whether the engine synchronizes automatically.
        public var description: String {
            "<CKSyncEngine.Configuration \(database) automaticallySync=\(automaticallySync)>"
        }
    }
}
