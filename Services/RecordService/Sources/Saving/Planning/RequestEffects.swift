internal import CloudKitModel
internal import RecordStorage
internal import ServiceMessages

/// The changes that one resolved request makes.
struct RequestEffects {
    /// A record's links before and after.
    struct WrittenLinks {
        let key: RecordKey
        let links: Set<RecordLink>
        let before: Set<RecordLink>
    }

    let zone: ZoneRow
    /// The number of the zone's last change.
    var seq: Int64
    /// The new states of the records.
    var overlay: [RecordKey: StoredRecord] = [:]
    /// The outcomes in the order of the operations.
    var outcomes: [OperationOutcome] = []
    /// The changes in the order of their numbers.
    var changes: [ChangedRecord] = []
    var assetsChanged: [RecordKey] = []
    var links: [WrittenLinks] = []
    var cascades: [Cascade] = []
    /// The approximate bytes of the values in ``changes``.
    var loggedBytes = 0
}
