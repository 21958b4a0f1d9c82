import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CloudKit

@Suite(.timeLimit(.minutes(1))) struct CKSyncEngineTests {
    @Test("Events come in Apple's order, each state after what it contains")
    func order() async throws {
        let server = SyncServer()
        let (a, b) = (SyncDevice(), SyncDevice())
        let (engineA, engineB) = (try a.engine(server), try b.engine(server))
        a.edit("note", "1", engineA)
        try await engineA.sendChanges()
        #expect(server.tokens("note") == ["1"])
        #expect(engineA.state.pendingRecordZoneChanges.isEmpty && engineA.state.pendingDatabaseChanges.isEmpty)
        #expect(
            a.events.filter { $0 != "stateUpdate" } == [
                "accountChange", "willSendChanges", "sentDatabaseChanges", "sentRecordZoneChanges", "didSendChanges",
            ])
        #expect(Self.pairs(a.events).contains("sentRecordZoneChanges stateUpdate"))
        try await engineB.fetchChanges()
        #expect(b.notes == ["note": ["1"]])
        #expect(
            b.events.filter { $0 != "stateUpdate" } == [
                "accountChange", "willFetchChanges", "fetchedDatabaseChanges", "willFetchRecordZoneChanges",
                "fetchedRecordZoneChanges", "didFetchRecordZoneChanges", "didFetchChanges",
            ])
        #expect(Self.pairs(b.events).contains("fetchedRecordZoneChanges stateUpdate"))
        #expect(engineB.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
    }

    private static func pairs(_ events: [String]) -> [String] { zip(events, events.dropFirst()).map { "\($0) \($1)" } }

    @Test("A conflict is handed over with the server's record, and ends the attempt")
    func conflict() async throws {
        let server = SyncServer()
        let codes = Mutex<[CKError.Code]>([])
        let a = SyncDevice()
        let b = SyncDevice { event, _ in
            guard case .sentRecordZoneChanges(let sent) = event else { return }
            codes.withLock { $0 += sent.failedRecordSaves.map(\.error.code) }
        }
        let (engineA, engineB) = (try a.engine(server), try b.engine(server))
        a.edit("note", "a", engineA)
        try await engineA.sendChanges()
        b.edit("note", "b", engineB)
        let error = try await #require(throws: CKError.self) { try await engineB.sendChanges() }
        #expect(error.code == .partialFailure)
        #expect(error.partialErrorsByItemID?[SyncDevice.id("note")] != nil)
        #expect(codes.withLock { $0 } == [.serverRecordChanged])
        #expect(engineB.state.pendingRecordZoneChanges == [.saveRecord(SyncDevice.id("note"))])
        #expect(server.tokens("note") == ["a"])
        try await engineB.sendChanges()
        #expect(server.tokens("note") == ["a", "b"])
    }

    @Test("A missing zone is handed over, and saved when the delegate asks for it")
    func missingZone() async throws {
        let server = SyncServer()
        let device = SyncDevice()
        let engine = try device.engine(server)
        device.edit("note", "1", engine)
        try await engine.sendChanges()
        server.deleteZone("Notes")
        device.edit("note", "2", engine)
        await #expect(throws: CKError.self) { try await engine.sendChanges() }
        try await engine.sendChanges()
        #expect(server.tokens("note") == ["1", "2"])
    }

    @Test("The engine deletes what the application deletes, and what is gone already counts as deleted")
    func deletions() async throws {
        let server = SyncServer()
        let deleted = Mutex<[String]>([])
        let device = SyncDevice { event, _ in
            switch event {
            case .sentRecordZoneChanges(let sent):
                deleted.withLock { $0 += sent.deletedRecordIDs.map(\.recordName) }
            case .sentDatabaseChanges(let sent):
                deleted.withLock { $0 += sent.deletedZoneIDs.map(\.zoneName) }
            default: break
            }
        }
        let engine = try device.engine(server)
        device.edit("note", "1", engine)
        try await engine.sendChanges()
        device.delete("note", engine)
        device.delete("never there", engine)
        try await engine.sendChanges()
        engine.state.add(pendingDatabaseChanges: [.deleteZone(.init(zoneName: "Other"))])
        try await engine.sendChanges()
        #expect(deleted.withLock { $0 } == ["note", "never there", "Other"])
        #expect(server.tokens("note") == nil)
    }

    @Test("The deletion of a zone is handed over with its reason, also after the token has expired")
    func deletedZones() async throws {
        let server = SyncServer()
        let deletions = Mutex<[CKDatabase.DatabaseChange.Deletion]>([])
        let device = SyncDevice { event, _ in
            guard case .fetchedDatabaseChanges(let changes) = event else { return }
            deletions.withLock { $0 += changes.deletions }
        }
        let engine = try device.engine(server)
        for zone in ["Notes", "Old", "Older"] {
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: zone))])
        }
        try await engine.sendChanges()
        try await engine.fetchChanges()
        server.deleteZone("Old", .purged)
        try await engine.fetchChanges()
        #expect(deletions.withLock { $0 }.map(\.zoneID.zoneName) == ["Old"])
        #expect(deletions.withLock { $0 }.map(\.reason) == [.purged])
        server.deleteZone("Older")
        server.expireTokens()
        try await engine.fetchChanges()
        // This server lists all deletions again after the token has expired.
        #expect(Set(deletions.withLock { $0 }.map(\.zoneID.zoneName)) == ["Old", "Older"])
    }

    @Test("Errors that the engine handles leave the changes pending, and the delegate hears of them")
    func network() async throws {
        let isAway = Mutex(false)
        let server = SyncServer { request, _ async throws(CKError) in
            if isAway.withLock({ $0 }), request == "modifyRecords" { throw CKError(.serviceUnavailable) }
        }
        let device = SyncDevice()
        let engine = try device.engine(server)
        try await engine.sendChanges()
        isAway.withLock { $0 = true }
        device.edit("note", "1", engine)
        let error = try await #require(throws: CKError.self) { try await engine.sendChanges() }
        #expect(error.code == .serviceUnavailable)
        #expect(engine.state.pendingRecordZoneChanges.count == 1)
        #expect(device.events.last == "didSendChanges")
        isAway.withLock { $0 = false }
        try await engine.sendChanges()
        #expect(server.tokens("note") == ["1"])
    }

    @Test("An expired token is replaced by fetching everything again")
    func expiredTokens() async throws {
        let server = SyncServer()
        let (a, b) = (SyncDevice(), SyncDevice())
        let (engineA, engineB) = (try a.engine(server), try b.engine(server))
        a.edit("note", "1", engineA)
        try await engineA.sendChanges()
        try await engineB.fetchChanges()
        a.edit("note", "2", engineA)
        try await engineA.sendChanges()
        server.expireTokens()
        try await engineB.fetchChanges()
        #expect(b.notes == ["note": ["1", "2"]])
    }

    @Test("Only the zones of the scope are fetched, those that matter first; the others stay unfetched")
    func scopes() async throws {
        let server = SyncServer()
        let device = SyncDevice()
        let engine = try device.engine(server)
        let zones = ["a", "b", "c"].map { CKRecordZone.ID(zoneName: $0) }
        engine.state.add(pendingDatabaseChanges: zones.map { .saveZone(CKRecordZone(zoneID: $0)) })
        try await engine.sendChanges()
        var options = CKSyncEngine.FetchChangesOptions(scope: .allExcluding([zones[1]]))
        options.prioritizedZoneIDs = [zones[2]]
        try await engine.fetchChanges(options)
        #expect(server.requests.first { $0.hasPrefix("zone ") } == "zone c")
        #expect(engine.state.zoneIDsWithUnfetchedServerChanges == [zones[1]])
        try await engine.fetchChanges(.init(scope: .zoneIDs([zones[1]])))
        #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
    }

    @Test("The application hears once of each change of the account, and the former user's changes are gone")
    func accounts() async throws {
        let server = SyncServer()
        let changes = Mutex<[CKSyncEngine.Event.AccountChange.ChangeType]>([])
        let device = SyncDevice { event, _ in
            if case .accountChange(let change) = event { changes.withLock { $0.append(change.changeType) } }
        }
        let engine = try device.engine(server)
        let (a, b) = (CKRecord.ID(recordName: "_a"), CKRecord.ID(recordName: "_b"))
        try await engine.fetchChanges()
        try await engine.fetchChanges()
        #expect(changes.withLock { $0 } == [.signIn(currentUser: a)])
        let again = try device.engine(server)
        device.edit("note", "1", again)
        server.state.withLock { $0.account = .user("_b") }
        try await again.fetchChanges()
        #expect(changes.withLock { $0 }.last == .switchAccounts(previousUser: a, currentUser: b))
        #expect(again.state.pendingRecordZoneChanges.isEmpty)
        server.state.withLock { $0.account = .none }
        let last = try device.engine(server)
        let error = try await #require(throws: CKError.self) { try await last.sendChanges() }
        #expect(error.code == .notAuthenticated)
        #expect(changes.withLock { $0 }.last == .signOut(previousUser: b))
    }

    @Test("A delegate that awaits the engine is told, instead of waiting forever")
    func recursion() async throws {
        let server = SyncServer()
        let errors = Mutex<[CKError.Code]>([])
        let device = SyncDevice { event, engine in
            guard case .willFetchChanges = event else { return }
            do { try await engine.sendChanges() } catch let error as CKError {
                errors.withLock { $0.append(error.code) }
            } catch {}
            await engine.cancelOperations()
        }
        let engine = try device.engine(server)
        let error = try await #require(throws: CKError.self) { try await engine.fetchChanges() }
        #expect(error.code == .operationCancelled)
        #expect(errors.withLock { $0 } == [.invalidArguments])
        #expect(device.events.contains("didFetchChanges"))
    }

    @Test("Untracked changes are asked for until there are none")
    func untracked() async throws {
        let server = SyncServer()
        let device = SyncDevice()
        let engine = try device.engine(server)
        engine.state.hasPendingUntrackedChanges = true
        try await engine.sendChanges(.init(scope: .recordIDs([])))
        #expect(engine.state.hasPendingUntrackedChanges, "a scope does not show that there are none")
        try await engine.sendChanges()
        #expect(!engine.state.hasPendingUntrackedChanges)
    }

    @Test("An automatic engine sends what is added, fetches what others change, and repeats after errors")
    func automatic() async throws {
        let isAway = Mutex(true)
        let server = SyncServer { request, _ async throws(CKError) in
            if request != "account", isAway.withLock({ $0 }) { throw CKError(.networkUnavailable) }
        }
        let (heard, done) = AsyncStream.makeStream(of: Void.self)
        let a = SyncDevice()
        let b = SyncDevice { event, _ in
            if case .fetchedRecordZoneChanges = event { done.finish() }
        }
        let engineA = try a.engine(server, isAutomatic: true, clock: Self.fastClock)
        let engineB = try b.engine(server, isAutomatic: true, clock: Self.fastClock)
        a.edit("note", "1", engineA)
        isAway.withLock { $0 = false }
        for await _ in heard {}
        #expect(b.notes["note"] == ["1"])
        await engineA.cancelOperations()
        await engineB.cancelOperations()
    }

    /// A clock that runs a hundred times as fast.
    private static var fastClock: SyncClock {
        let start = ContinuousClock.now
        return SyncClock(
            now: { (.now - start) * 100 }, sleep: { try? await Task.sleep(for: $0 / 100) }, jitter: { 1 })
    }

    @Test("An engine that is released ends its work, and keeps neither the delegate nor itself alive")
    func release() async throws {
        let server = SyncServer()
        weak var released: CKSyncEngine?
        weak var delegate: SyncDevice?
        do {
            let device = SyncDevice()
            let engine = try device.engine(server)
            try await engine.sendChanges()
            (released, delegate) = (engine, device)
        }
        #expect(released == nil && delegate == nil)
    }

    @Test("A batch contains as many changes as a request may, in order")
    func batches() async throws {
        let ids = (0..<500).map { SyncDevice.id("\($0)") }
        let changes = ids.map { CKSyncEngine.PendingRecordZoneChange.saveRecord($0) }
        let batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes + [.deleteRecord(ids[1])]) { id in
            id == ids[0] ? nil : CKRecord(recordType: "Note", recordID: id)
        }
        #expect(batch?.recordsToSave.map(\.recordID) == Array(ids[2...200]))
        #expect(batch?.recordIDsToDelete == [ids[1]])
        let large = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
            let record = CKRecord(recordType: "Note", recordID: id)
            record["data"] = Data(count: 300_000)
            return record
        }
        #expect(large?.recordsToSave.count == 2)
        let empty = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { _ in nil }
        #expect(empty == nil)
    }
}
