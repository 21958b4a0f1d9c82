package import RecordStorage

/// The data that must be read before a request can be decided.
package struct MissingReads: Sendable, Equatable {
    /// The records for which it must be known which records refer to them.
    package var incoming: Set<RecordKey> = []
    /// The records for which it must be known whether they exist.
    package var targets: Set<RecordKey> = []
    /// The targets for which it must be known how many records they own.
    package var owners: Set<RecordKey> = []
    /// The records to read because they are deleted together with other records.
    package var records: Set<RecordKey> = []
    /// The records for which it must be known whether they are pending deletion.
    package var cascadeChecks: Set<RecordKey> = []

    /// Whether nothing has to be read.
    package var isEmpty: Bool { incoming.isEmpty && targets.isEmpty && records.isEmpty && cascadeChecks.isEmpty }

    /// Adds the elements of `other`.
    package mutating func formUnion(_ other: MissingReads) {
        incoming.formUnion(other.incoming)
        targets.formUnion(other.targets)
        owners.formUnion(other.owners)
        records.formUnion(other.records)
        cascadeChecks.formUnion(other.cascadeChecks)
    }
}
