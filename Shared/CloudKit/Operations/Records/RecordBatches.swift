internal import CloudKitModel
internal import CloudKitWire
internal import Crypto

/// Splits changes into requests, and sends these.
struct RecordBatches: Sendable {
    let database: WebDatabase
    let policy: CKModifyRecordsOperation.RecordSavePolicy
    let isAtomic: Bool
    /// The application's name for the request; nil if it has none.
    let token: Data?

    /// The changes of one request.
    struct Batch: Sendable {
        var zoneID: CKRecordZone.ID
        var isAtomic: Bool
        var changes: [RecordChange] = []
        /// The JSON of each change, or the reason why it cannot be sent.
        var bodies: [ItemResult<[UInt8]>] = []
    }

    /// Uploads the assets of the changes of one zone, and returns the requests.
    ///
    /// - Parameter progress: Called with the progress of a record's uploads.
    func batches(
        of changes: [RecordChange], in zoneID: CKRecordZone.ID,
        progress: @escaping @Sendable (CKRecord, Double) -> Void
    ) async -> [Batch] {
        let atomic = isAtomic && database.scope != .public && zoneID.zoneName != CKRecordZone.ID.defaultZoneName
        let empty = Batch(zoneID: zoneID, isAtomic: atomic)
        let uploads = RecordUploads(changes, policy)
        let uploaded = await uploads.upload(to: zoneID, of: database, progress: progress)
        var batches = [empty]
        var bytes = 0
        for (change, assets) in zip(changes, uploaded) {
            let body = Result { () throws(CKError) in try database.json(of: change, policy, assets.get()) }
            let size = (try? body.get().count) ?? 0
            let last = batches[batches.count - 1]
            let isFull =
                last.changes.count >= WebDatabase.maxChanges
                || bytes + size > WebDatabase.maxChangeBytes && !last.changes.isEmpty
            if isFull, !atomic {
                batches.append(empty)
                bytes = 0
            }
            batches[batches.count - 1].changes.append(change)
            batches[batches.count - 1].bodies.append(body)
            bytes += size
        }
        return batches
    }

    /// Sends a request, and returns the result of each change in order.
    ///
    /// - Throws: An error that concerns not only the zone.
    func send(_ batch: Batch) async throws(CKError) -> [(RecordChange, ItemResult<Void>)] {
        let unsendable = batch.bodies.contains { $0.error != nil }
        if unsendable, batch.isAtomic {
            return zip(batch.changes, batch.bodies).map { change, body in
                (change, .failure(body.error ?? CKError(.batchRequestFailed)))
            }
        }
        var sent: [RecordChange] = []
        var bodies: [[UInt8]] = []
        for (change, body) in zip(batch.changes, batch.bodies) {
            guard case .success(let body) = body else { continue }
            sent.append(change)
            bodies.append(body)
        }
        var results = try await answers(to: bodies, of: sent, batch)[...]
        return zip(batch.changes, batch.bodies).map { change, body in
            if let error = body.error { return (change, .failure(error)) }
            return (change, results.popFirst() ?? .failure(.unexpectedAnswer("it lacks an item")))
        }
    }

    private func answers(
        to bodies: [[UInt8]], of changes: [RecordChange], _ batch: Batch
    ) async throws(CKError) -> [ItemResult<Void>] {
        guard !changes.isEmpty else { return [] }
        do throws(CKError) {
            let items = try await database.modify(
                bodies, of: changes.map(\.recordID), in: batch.zoneID, atomic: batch.isAtomic,
                idempotencyKey: idempotencyKey(bodies, batch.zoneID))
            return zip(changes, items).map { change, item in Result { () throws(CKError) in try take(item, change) } }
        } catch {
            guard error.concernsZone else { throw error }
            return changes.map { _ in .failure(error) }
        }
    }

    /// Reads the item of an answer, and gives a saved record its new system fields.
    private func take(_ item: JSONValue, _ change: RecordChange) throws(CKError) {
        guard case .save(let record) = change else {
            if let fault = item.fault { throw fault.error() }
            return
        }
        guard let fault = item.fault else { return try RecordCoding.adopt(item, into: record, in: database) }
        throw RecordCoding.error(fault, saving: record, in: database)
    }

    /// Returns the name of a request: a new one, or one that follows from the application's name and the content.
    private func idempotencyKey(_ bodies: [[UInt8]], _ zoneID: CKRecordZone.ID) -> String {
        guard let token else { return UUID().uuidString }
        var hash = SHA256()
        hash.update(data: token)
        hash.update(data: Array("\(zoneID.ownerName)/\(zoneID.zoneName)".utf8))
        for body in bodies { hash.update(data: body) }
        let digest = Array(hash.finalize()).prefix(16)
        return UUID(
            uuid: digest.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
        ).uuidString
    }
}

extension CKError {
    /// Whether an error of a request about one zone is an error of each of its records, and not of the operation.
    var concernsZone: Bool {
        switch code {
        case .zoneNotFound, .userDeletedZone, .permissionFailure: true
        default: false
        }
    }
}
