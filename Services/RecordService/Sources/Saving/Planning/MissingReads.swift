package import RecordStorage

/// The data that must be read before the outcome of a request can be decided.
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
    /// The records for which a share must be read. Either the record itself is the share, or it is the root of the
    /// share.
    package var shares: Set<RecordKey> = []
    /// The users who change only their own rows of shares, for whom these shares must be read.
    package var visitors: Set<ShareVisitor> = []
    /// The records whose descendants must be read.
    package var below: Set<RecordKey> = []
    /// The records whose ancestors must be read.
    package var ancestors: Set<RecordKey> = []
    /// The zones for which the roots of all live shares must be read.
    package var roots: Set<ZoneRow> = []
    /// The records that must be read again if they belong to ``visibleShares``.
    package var visible: Set<RecordKey> = []
    /// The shares that a participant may see.
    package var visibleShares: Set<ShareID> = []

    /// Whether there is nothing to read.
    package var isEmpty: Bool {
        incoming.isEmpty && targets.isEmpty && records.isEmpty && cascadeChecks.isEmpty && shares.isEmpty
            && visitors.isEmpty && below.isEmpty && ancestors.isEmpty && roots.isEmpty && visible.isEmpty
    }

    /// Adds the elements of `other`.
    package mutating func formUnion(_ other: MissingReads) {
        incoming.formUnion(other.incoming)
        targets.formUnion(other.targets)
        owners.formUnion(other.owners)
        records.formUnion(other.records)
        cascadeChecks.formUnion(other.cascadeChecks)
        shares.formUnion(other.shares)
        visitors.formUnion(other.visitors)
        below.formUnion(other.below)
        ancestors.formUnion(other.ancestors)
        roots.formUnion(other.roots)
        visible.formUnion(other.visible)
        visibleShares.formUnion(other.visibleShares)
    }
}
