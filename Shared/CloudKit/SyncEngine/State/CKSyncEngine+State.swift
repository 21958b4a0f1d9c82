extension CKSyncEngine {
    /// What an engine knows: which changes are to be sent, and which were fetched.
    ///
    /// Every change leads to an event ``CKSyncEngine/Event/stateUpdate(_:)``.
    public final class State: Sendable {
        let content: Locked<SyncState>
        /// Called after the application has changed the state; the argument is whether there is more to send.
        private let changed = Locked<(@Sendable (Bool) -> Void)?>(nil)

        init(_ serialization: Serialization?) {
            content = Locked(serialization?.contents ?? SyncState())
        }

        /// Has a function called after each change that the application makes.
        func whenChanged(_ function: (@Sendable (Bool) -> Void)?) { changed.withLock { $0 = function } }

        private func change(_ hasMore: Bool, _ body: (inout SyncState) -> Void) {
            content.withLock(body)
            changed.copy?(hasMore)
        }

        /// The changes of records that are to be sent, in order, at most one for each record.
        ///
        /// Changes stay in this list until they have been saved, or have failed with an error that the application must
        /// handle. A change that is added again while it is being sent stays in the list.
        public var pendingRecordZoneChanges: [CKSyncEngine.PendingRecordZoneChange] {
            content.withLock { $0.recordChanges.changes }
        }

        /// The changes of zones that are to be sent, in order, at most one for each zone.
        public var pendingDatabaseChanges: [CKSyncEngine.PendingDatabaseChange] {
            content.withLock { $0.databaseChanges.changes }
        }

        /// Whether the application has changes to send that are not in ``pendingRecordZoneChanges``.
        ///
        /// Set this property, and return the changes when the engine asks for a batch. The engine resets it when there is
        /// no further batch.
        public var hasPendingUntrackedChanges: Bool {
            get { content.withLock { $0.hasUntrackedChanges } }
            set { change(newValue) { $0.setUntrackedChanges(newValue) } }
        }

        /// The zones with changes that have not been fetched.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] { content.withLock { $0.unfetchedZones } }

        /// Adds changes of records. Of several changes of one record, the last counts.
        public func add(pendingRecordZoneChanges: [CKSyncEngine.PendingRecordZoneChange]) {
            guard !pendingRecordZoneChanges.isEmpty else { return }
            change(true) { $0.add(pendingRecordZoneChanges) }
        }

        /// Removes changes of records.
        public func remove(pendingRecordZoneChanges: [CKSyncEngine.PendingRecordZoneChange]) {
            guard !pendingRecordZoneChanges.isEmpty else { return }
            change(false) { state in
                for change in pendingRecordZoneChanges { state.recordChanges.remove(change) }
            }
        }

        /// Adds changes of zones. Of several changes of one zone, the last counts.
        public func add(pendingDatabaseChanges: [CKSyncEngine.PendingDatabaseChange]) {
            guard !pendingDatabaseChanges.isEmpty else { return }
            change(true) { $0.add(pendingDatabaseChanges) }
        }

        /// Removes changes of zones.
        public func remove(pendingDatabaseChanges: [CKSyncEngine.PendingDatabaseChange]) {
            guard !pendingDatabaseChanges.isEmpty else { return }
            change(false) { state in
                for change in pendingDatabaseChanges { state.databaseChanges.remove(change) }
            }
        }
    }
}
