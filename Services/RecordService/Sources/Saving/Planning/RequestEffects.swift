internal import CloudKitModel
internal import RecordStorage
internal import ServiceMessages

/// What one settled request changes.
struct RequestEffects {
    /// A record's links, before and after.
    struct WrittenLinks {
        let key: RecordKey
        let links: Set<RecordLink>
        let before: Set<RecordLink>
    }

    let zone: ZoneRow
    /// The zone's counter.
    var seq: Int64
    /// The records as they are afterwards.
    var overlay: [RecordKey: StoredRecord] = [:]
    /// In the order of the operations.
    var outcomes: [OperationOutcome] = []
    /// In the order of their numbers.
    var changes: [ChangedRecord] = []
    var assetsChanged: [RecordKey] = []
    var links: [WrittenLinks] = []
    var cascades: [Cascade] = []
    /// About how many bytes the values in ``changes`` have.
    var loggedBytes = 0
}
