package import RecordStorage
package import ServiceMessages

/// The result of one transaction. Each request is in exactly one of the first four lists.
package struct WriteResult: Sendable {
    /// The requests that were committed or permanently refused.
    package var answered: [AnsweredWrite] = []
    /// The requests to be retried because their zone's lock could not be obtained, their environment's schema is being
    /// changed, a record was left out of the read, or they belong to the next transaction.
    package var returned: [WriteRequest] = []
    /// The requests for which the cached row of the zone no longer exists.
    package var zoneGone: [WriteRequest] = []
    /// The requests that need types or fields missing from the schema.
    package var awaitingSchema: [(request: WriteRequest, additions: [SchemaAddition])] = []

    /// The events of the committed changes.
    package var events: [ChangeEvent] = []
    /// The zones that were skipped because the lock on the zone or on its environment's schema could not be obtained.
    package var skipped: Set<ZoneRow> = []
    /// The number of operations that changed something.
    package var effectiveOperations = 0

    /// Adds the unfinished requests of `other`. The answers of `other` have already been sent.
    mutating func addUnanswered(of other: WriteResult) {
        returned += other.returned
        zoneGone += other.zoneGone
        awaitingSchema += other.awaitingSchema
        skipped.formUnion(other.skipped)
    }
}
