package import RecordStorage
package import ServiceMessages

/// What became of the requests of one transaction. Each request is in exactly one list.
package struct WriteResult: Sendable {
    /// Committed or permanently refused.
    package var answered: [AnsweredWrite] = []
    /// To be tried again: the lock of their zone was missed, the schema of their environment is being changed, or a record
    /// was left out of the read.
    package var returned: [WriteRequest] = []
    /// Their zone no longer exists under its row.
    package var zoneGone: [WriteRequest] = []
    /// The schema lacks something that they need.
    package var awaitingSchema: [(request: WriteRequest, additions: [SchemaAddition])] = []

    /// The events of what was committed.
    package var events: [ChangeEvent] = []
    /// The zones whose lock, or whose environment's lock, was missed.
    package var skipped: Set<ZoneRow> = []
    /// The number of operations that changed something.
    package var effectiveOperations = 0

    /// Adds what is left to do of `other`, whose answers were sent.
    mutating func addUnanswered(of other: WriteResult) {
        returned += other.returned
        zoneGone += other.zoneGone
        awaitingSchema += other.awaitingSchema
        skipped.formUnion(other.skipped)
    }
}
