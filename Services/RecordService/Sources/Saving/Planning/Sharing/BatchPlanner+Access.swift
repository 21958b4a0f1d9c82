internal import CloudKitModel
internal import RecordStorage

/// The rights of participants, which were read while the zone was locked.
extension BatchPlanner {
    /// Returns the access of the participant who sent `request`; nil if the user may not see the zone, or if the request
    /// is not for the shared database.
    func access(of request: WriteRequest) -> ShareAccess? { request.writer.flatMap { sharing.accesses[$0] } }

    /// Returns what to read again for the records that a participant named. The second read leaves out the hidden
    /// records, so that their sizes do not count towards the limit. Returns nil if the user may see every record.
    func visibleReads(of request: WriteRequest) -> MissingReads? {
        guard let access = access(of: request), !access.isOfZone else { return nil }
        var reads = MissingReads()
        reads.visible = Set(request.keys)
        reads.visibleShares = Set(access.shares.map(\.id))
        return reads
    }

    /// Returns the total size, in bytes, of the visible records in `records`.
    func bytes(of records: some Sequence<StoredRecord>, for request: WriteRequest) -> Int {
        let access = access(of: request)
        return records.reduce(0) { $0 + (access?.sees($1) ?? true ? $1.size : 0) }
    }
}
