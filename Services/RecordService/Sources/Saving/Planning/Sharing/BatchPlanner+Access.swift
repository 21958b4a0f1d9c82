internal import CloudKitModel
internal import RecordStorage

/// The rights of participants, which were read while the zone was locked.
extension BatchPlanner {
    /// Returns the access of a participant who sent `request`; nil if the user may not see the zone, or if the request
    /// is not for the shared database.
    func access(of request: WriteRequest) -> ShareAccess? { request.writer.flatMap { sharing.accesses[$0] } }

    /// Returns a second read of the records named by a participant. It leaves out the hidden records, so that their
    /// sizes have no effect. Returns nil if the user may see every record.
    func visibleReads(of request: WriteRequest) -> MissingReads? {
        guard let access = access(of: request), !access.isOfZone else { return nil }
        var reads = MissingReads()
        reads.visible = Set(request.keys)
        reads.visibleShares = Set(access.shares.map(\.id))
        return reads
    }

    /// Returns the total size of the visible records among `records`, in bytes.
    func bytes(of records: some Sequence<StoredRecord>, for request: WriteRequest) -> Int {
        let access = access(of: request)
        return records.reduce(0) { $0 + (access?.sees($1) ?? true ? $1.size : 0) }
    }
}
