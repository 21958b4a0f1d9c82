package import RecordStorage
package import ServiceMessages

/// The result of one transaction. Each request is in exactly one of the first four lists.
package struct WriteResult: Sendable {
    /// The requests that were committed or permanently refused.
    package var answered: [AnsweredWrite] = []
    /// The requests to be retried, because the lock of their zone was missed, the schema of their environment is being
    /// changed, a record was left out of the read, or the transaction was full.
    package var returned: [WriteRequest] = []
    /// The requests whose zone no longer exists under its row.
    package var zoneGone: [WriteRequest] = []
    /// The requests that need types or fields that the schema lacks.
    package var awaitingSchema: [(request: WriteRequest, additions: [SchemaAddition])] = []

    /// The events of the committed changes.
    package var events: [ChangeEvent] = []
    /// The zones for which a lock was missed: that of the zone or of its environment's schema.
    package var skipped: Set<ZoneRow> = []
    /// The number of operations that changed something.
    package var effectiveOperations = 0

    /// Adds the unfinished requests of `other`, whose answers have been sent.
    mutating func addUnanswered(of other: WriteResult) {
        returned += other.returned
        zoneGone += other.zoneGone
        awaitingSchema += other.awaitingSchema
        skipped.formUnion(other.skipped)
    }
}
