import Foundation

@testable import CloudKit

/// A server in memory that several engines synchronize with.
final class SyncServer: Sendable {
    struct Stored {
        var tokens: [String]
        var tag: Int
    }

    struct Zone {
        var incarnation: Int
        var records: [String: Stored] = [:]
        /// The records that changed, in order.
        var log: [String] = []
    }

    struct State {
        var zones: [String: Zone] = [:]
        /// The zones that changed, in order.
        var log: [String] = []
        var deletions: [String: CKDatabase.DatabaseChange.Deletion.Reason] = [:]
        var counter = 0
        /// Sync tokens with a lower number have expired.
        var databaseHorizon = 0
        var zoneHorizon = 0
        var account: SyncTransport.Account = .user("_a")
        var requests: [String] = []
        var notices: [@Sendable (SyncTransport.Notice) -> Void] = []
        var accountWatchers: [@Sendable () -> Void] = []
    }

    let state = Locked(State())
    let pageSize: Int
    /// Called before and after each request with its name; may throw the request's error.
    let intercept: @Sendable (_ request: String, _ isAfter: Bool) async throws(CKError) -> Void

    init(
        pageSize: Int = 3,
        intercept: @escaping @Sendable (String, Bool) async throws(CKError) -> Void = { _, _ async throws(CKError) in }
    ) {
        (self.pageSize, self.intercept) = (pageSize, intercept)
    }

    var requests: [String] { state.withLock { $0.requests } }

    /// The tokens in a record; nil if it does not exist.
    func tokens(_ record: String, in zone: String = "Notes") -> [String]? {
        state.withLock { $0.zones[zone]?.records[record]?.tokens }
    }

    func expireTokens() {
        state.withLock { state in
            state.counter += 1
            (state.databaseHorizon, state.zoneHorizon) = (state.counter, state.counter)
        }
    }

    func deleteZone(_ name: String, _ reason: CKDatabase.DatabaseChange.Deletion.Reason = .deleted) {
        state.withLock { state in
            state.zones[name] = nil
            state.deletions[name] = reason
            state.log.append(name)
        }
    }

    func signIn(_ account: SyncTransport.Account) {
        let watchers = state.withLock { state in
            state.account = account
            return state.accountWatchers
        }
        for watcher in watchers { watcher() }
    }

    func notify() {
        for heard in state.withLock({ $0.notices }) { heard(.changed) }
    }

    private func request<Value: Sendable>(
        _ name: String, through extra: SyncTransportIntercept?, _ body: (inout State) throws(CKError) -> Value
    ) async throws(CKError) -> Value {
        state.withLock { $0.requests.append(name) }
        try await extra?(name, false)
        try await intercept(name, false)
        let result = state.withLock { state -> Result<Value, CKError> in
            Result { () throws(CKError) in try body(&state) }
        }
        let value = try result.get()
        try await extra?(name, true)
        try await intercept(name, true)
        return value
    }

    typealias SyncTransportIntercept = @Sendable (String, Bool) async throws(CKError) -> Void

    /// The requests of one engine.
    func transport(_ extra: SyncTransportIntercept? = nil) -> SyncTransport {
        SyncTransport(
            account: { () async throws(CKError) in
                try await self.request("account", through: extra) { $0.account }
            },
            databaseChanges: { token, _ async throws(CKError) in
                try await self.request("database", through: extra) { state throws(CKError) in
                    try state.databasePage(token, self.pageSize)
                }
            },
            zoneChanges: { zone, token, _ async throws(CKError) in
                try await self.request("zone \(zone.zoneName)", through: extra) { state throws(CKError) in
                    try state.zonePage(zone, token, self.pageSize)
                }
            },
            modifyZones: { saves, deletes, _ async throws(CKError) in
                let results = try await self.request("modifyZones", through: extra) { $0.modify(saves, deletes) }
                self.notify()
                return results
            },
            modifyRecords: { batch, _ async throws(CKError) in
                let results = try await self.request("modifyRecords", through: extra) { $0.modify(batch) }
                self.notify()
                return results
            },
            listen: { heard async throws(CKError) in
                self.state.withLock { $0.notices.append(heard) }
                heard(.changed)
                await Forever.wait()
                throw CKError(.operationCancelled)
            },
            watchAccount: { changed in
                self.state.withLock { $0.accountWatchers.append(changed) }
                await Forever.wait()
            })
    }
}

/// Waits until the task is cancelled.
enum Forever {
    static func wait() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }
}

extension SyncServer.State {
    fileprivate mutating func touch(_ zone: String) {
        counter += 1
        log.append(zone)
    }

    fileprivate func databasePage(
        _ token: String?, _ pageSize: Int
    ) throws(CKError) -> SyncTransport.DatabaseChanges {
        let parts = token?.split(separator: "/").compactMap { Int($0) }
        if let parts, parts[0] < databaseHorizon { throw CKError(.changeTokenExpired) }
        let start = parts?[1] ?? 0
        let end = min(start + pageSize, log.count)
        // Only the newest entry of a zone counts.
        let names = (start..<end).filter { !log[($0 + 1)...].contains(log[$0]) }.map { log[$0] }
        var page = SyncTransport.DatabaseChanges(token: "\(counter)/\(end)", moreComing: end < log.count)
        for name in names {
            let id = CKRecordZone.ID(zoneName: name)
            if zones[name] != nil {
                page.modified.append(id)
            } else if token != nil {
                page.deleted.append(.init(zoneID: id, reason: deletions[name] ?? .deleted))
            }
        }
        return page
    }

    fileprivate func zonePage(
        _ id: CKRecordZone.ID, _ token: String?, _ pageSize: Int
    ) throws(CKError) -> SyncTransport.ZoneChanges {
        guard let zone = zones[id.zoneName] else { throw CKError(.zoneNotFound) }
        let parts = token?.split(separator: "/").compactMap { Int($0) }
        if let parts, parts[0] < zoneHorizon || parts[1] != zone.incarnation { throw CKError(.changeTokenExpired) }
        let start = parts?[2] ?? 0
        let end = min(start + pageSize, zone.log.count)
        let names = (start..<end).filter { !zone.log[($0 + 1)...].contains(zone.log[$0]) }.map { zone.log[$0] }
        var page = SyncTransport.ZoneChanges(
            token: "\(counter)/\(zone.incarnation)/\(end)", moreComing: end < zone.log.count)
        for name in names {
            let record = CKRecord.ID(recordName: name, zoneID: id)
            if let stored = zone.records[name] {
                page.modified.append(.stored(stored, record))
            } else {
                page.deleted.append(.init(recordID: record, recordType: "Note"))
            }
        }
        return page
    }

    fileprivate mutating func modify(
        _ saves: [CKRecordZone], _ deletes: [CKRecordZone.ID]
    ) -> SyncTransport.ZoneResults {
        var results = SyncTransport.ZoneResults()
        for zone in saves {
            let name = zone.zoneID.zoneName
            if zones[name] == nil {
                counter += 1
                zones[name] = SyncServer.Zone(incarnation: counter)
                touch(name)
            }
            results.saved[zone.zoneID] = .success(zone)
        }
        for zone in deletes {
            guard zones.removeValue(forKey: zone.zoneName) != nil else {
                results.deleted[zone] = .failure(CKError(.zoneNotFound))
                continue
            }
            deletions[zone.zoneName] = .deleted
            touch(zone.zoneName)
            results.deleted[zone] = .success(())
        }
        return results
    }

    fileprivate mutating func modify(_ batch: CKSyncEngine.RecordZoneChangeBatch) -> SyncTransport.RecordResults {
        var results = SyncTransport.RecordResults()
        for record in batch.recordsToSave {
            results.saved[record.recordID] = Result { () throws(CKError) in try save(record) }
        }
        for id in batch.recordIDsToDelete {
            let zone = id.zoneID.zoneName
            if zones[zone] == nil {
                results.deleted[id] = .failure(CKError(.zoneNotFound))
            } else if zones[zone]?.records.removeValue(forKey: id.recordName) == nil {
                results.deleted[id] = .failure(CKError(.unknownItem))
            } else {
                zones[zone]?.log.append(id.recordName)
                touch(zone)
                results.deleted[id] = .success(())
            }
        }
        return results
    }

    private mutating func save(_ record: CKRecord) throws(CKError) -> CKRecord {
        let (zone, name) = (record.recordID.zoneID.zoneName, record.recordID.recordName)
        guard let there = zones[zone] else { throw CKError(.zoneNotFound) }
        let tag = record.recordChangeTag.flatMap(Int.init)
        if let stored = there.records[name], stored.tag != tag {
            let server = CKRecord.stored(stored, record.recordID)
            throw CKError(.serverRecordChanged, userInfo: [CKRecordChangedErrorServerRecordKey: server])
        }
        if there.records[name] == nil, tag != nil { throw CKError(.unknownItem) }
        counter += 1
        zones[zone]?.records[name] = SyncServer.Stored(tokens: record["tokens"] ?? [], tag: counter)
        zones[zone]?.log.append(name)
        touch(zone)
        let new = counter - 1
        zones[zone]?.records[name]?.tag = new
        record.state.withLock { $0.system.changeTag = "\(new)" }
        return record
    }
}

extension CKRecord {
    /// A record as the server returns it.
    static func stored(_ stored: SyncServer.Stored, _ id: CKRecord.ID) -> CKRecord {
        let record = CKRecord(recordType: "Note", recordID: id)
        record["tokens"] = stored.tokens
        record.state.withLock { state in
            state.system.changeTag = "\(stored.tag)"
            state.fields.wereSaved(upTo: .max)
        }
        return record
    }
}
