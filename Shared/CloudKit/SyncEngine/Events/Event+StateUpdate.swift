extension CKSyncEngine.Event {
    /// The engine's state has changed.
    ///
    /// Store the serialization together with the data of the events that came before it, and create the next engine from
    /// it. An engine that is created from any serialization that was ever handed over loses no change: it sends what was
    /// pending then, and fetches what was not handed over then.
    public struct StateUpdate: Sendable, CustomStringConvertible {
        /// The state.
        public let stateSerialization: CKSyncEngine.State.Serialization

        /// The number of pending changes.
        public var description: String { "<StateUpdate \(stateSerialization.contents.summary)>" }
    }
}
