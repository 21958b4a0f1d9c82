internal import CloudKitModel
internal import RecordStorage
internal import ServiceMessages

/// The effects of one resolved request.
struct RequestEffects {
    /// A record's links before and after the request.
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
    /// The changes in order of their numbers.
    var changes: [ChangedRecord] = []
    var assetsChanged: [RecordKey] = []
    var links: [WrittenLinks] = []
    var cascades: [Cascade] = []
    var shares = ShareWrites()
    /// The approximate size of the values in ``changes``, in bytes.
    var loggedBytes = 0
}
