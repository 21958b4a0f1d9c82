package import RecordStorage

/// The data that must be read before a request can be decided.
package struct MissingReads: Sendable, Equatable {
    /// The records whose incoming references must be read.
    package var incoming: Set<RecordKey> = []
    /// The records whose existence must be checked.
    package var targets: Set<RecordKey> = []
    /// The targets whose owned records must be counted.
    package var owners: Set<RecordKey> = []
    /// The records that must be read because they are deleted together with other records.
    package var records: Set<RecordKey> = []
    /// The records that must be checked for pending deletion.
    package var cascadeChecks: Set<RecordKey> = []
    /// Records whose share, as a share or as the root of one, must be known.
    package var shares: Set<RecordKey> = []
    /// Records below which the records must be known.
    package var below: Set<RecordKey> = []
    /// Records above which the records must be known.
    package var ancestors: Set<RecordKey> = []

    /// Whether there is nothing to read.
    package var isEmpty: Bool {
        incoming.isEmpty && targets.isEmpty && records.isEmpty && cascadeChecks.isEmpty && shares.isEmpty
            && below.isEmpty && ancestors.isEmpty
    }

    /// Adds the elements of `other`.
    package mutating func formUnion(_ other: MissingReads) {
        incoming.formUnion(other.incoming)
        targets.formUnion(other.targets)
        owners.formUnion(other.owners)
        records.formUnion(other.records)
        cascadeChecks.formUnion(other.cascadeChecks)
        shares.formUnion(other.shares)
        below.formUnion(other.below)
        ancestors.formUnion(other.ancestors)
    }
}
