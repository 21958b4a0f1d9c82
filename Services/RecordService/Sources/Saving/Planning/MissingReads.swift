package import RecordStorage

/// What must be read before a request can be decided.
package struct MissingReads: Sendable, Equatable {
    /// Records whose referring records must be known.
    package var incoming: Set<RecordKey> = []
    /// Records whose existence must be known.
    package var targets: Set<RecordKey> = []
    /// Those of the targets whose number of owned records must be known.
    package var owners: Set<RecordKey> = []
    /// Records that are deleted with others.
    package var records: Set<RecordKey> = []
    /// Records for which it must be known whether a background job is about to delete them.
    package var cascadeChecks: Set<RecordKey> = []

    /// Whether nothing has to be read.
    package var isEmpty: Bool { incoming.isEmpty && targets.isEmpty && records.isEmpty && cascadeChecks.isEmpty }

    /// Adds what `other` misses.
    package mutating func formUnion(_ other: MissingReads) {
        incoming.formUnion(other.incoming)
        targets.formUnion(other.targets)
        owners.formUnion(other.owners)
        records.formUnion(other.records)
        cascadeChecks.formUnion(other.cascadeChecks)
    }
}
