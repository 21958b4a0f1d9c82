extension CKSyncEngine.State {
    /// The state of an engine in a form that can be stored.
    public struct Serialization: Codable, Sendable {
        // `SyncState` contains only values and IDs, which do not change.
        private let box: Locked<SyncState>
        var contents: SyncState { box.copy }

        init(_ contents: SyncState) { box = Locked(contents) }

        /// Writes the state.
        public func encode(to encoder: any Encoder) throws { try SerializedState(contents).encode(to: encoder) }

        /// Reads a state.
        ///
        /// - Throws: `DecodingError` if it was not written by this library, or by a newer version.
        public init(from decoder: any Decoder) throws {
            self.init(try SerializedState(from: decoder).contents(decoder.codingPath))
        }
    }
}

extension SyncState {
    /// The state in a few words.
    var summary: String {
        "pendingRecords=\(recordChanges.count) pendingZones=\(databaseChanges.count) unfetchedZones=\(unfetchedZones.count)"
    }
}
