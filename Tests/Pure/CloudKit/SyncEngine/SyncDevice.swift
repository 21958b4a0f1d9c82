import Foundation
import Synchronization

@testable import CloudKit

/// An application on one device: notes, each a set of tokens, which it keeps with an engine. It merges conflicts, creates
/// its zone when it is missing, and stores its data whenever it receives the engine's state.
final class SyncDevice: CKSyncEngineDelegate {
    struct Note: Equatable {
        var tokens: Set<String>
        /// The change tag that the server last returned.
        var tag: String?
    }

    struct Disk {
        var notes: [String: Note] = [:]
        var engine: Data?
        /// The tokens that were stored together with a pending save of their note. They must reach the server.
        var promised: [String: Set<String>] = [:]
    }

    struct State {
        var notes: [String: Note] = [:]
        var disk: Disk
        /// Whether the process was killed: nothing that it does has an effect.
        var isDead = false
        var events: [String] = []
        var isHandling = false
        var overlaps = 0
    }

    /// Starts the application for the first time.
    convenience init(_ hook: @escaping @Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void = { _, _ in }) {
        self.init(Disk(), hook: hook)
    }

    static let zone = CKRecordZone.ID(zoneName: "Notes")
    let state: Mutex<State>
    private let point: @Sendable (SyncDevice) -> Void
    private let hook: @Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void

    /// Starts the application.
    ///
    /// - Parameters:
    ///   - point: called wherever the process may be killed.
    ///   - hook: called with each event after it was handled.
    init(
        _ disk: Disk, point: @escaping @Sendable (SyncDevice) -> Void = { _ in },
        hook: @escaping @Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void = { _, _ in }
    ) {
        state = Mutex(State(notes: disk.notes, disk: disk))
        (self.point, self.hook) = (point, hook)
    }

    static func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

    var disk: Disk { state.withLock { $0.disk } }
    var notes: [String: Set<String>] { state.withLock { $0.notes.mapValues(\.tokens) } }
    var events: [String] { state.withLock { $0.events } }
    var isDead: Bool { state.withLock { $0.isDead } }
    func kill() { state.withLock { $0.isDead = true } }

    /// Creates an engine from what is stored.
    func engine(
        _ server: SyncServer, isAutomatic: Bool = false, clock: SyncClock = .system
    ) throws -> CKSyncEngine {
        let stored = try disk.engine.map { try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0) }
        let container = CKContainer("iCloud.test", Connections(environment: [:]) {}, OperationDefaults())
        var configuration = CKSyncEngine.Configuration(
            database: container.privateCloudDatabase, stateSerialization: stored, delegate: self)
        configuration.automaticallySync = isAutomatic
        let transport = server.transport { [weak self] _, _ async throws(CKError) in
            guard let self else { return }
            self.point(self)
            if self.isDead { throw CKError(.networkFailure) }
        }
        return CKSyncEngine(configuration, transport, clock)
    }

    /// The user adds a token to a note.
    func edit(_ note: String, _ token: String, _ engine: CKSyncEngine) {
        let isAlive = state.withLock { state in
            guard !state.isDead else { return false }
            state.notes[note, default: Note(tokens: [])].tokens.insert(token)
            return true
        }
        if isAlive { engine.state.add(pendingRecordZoneChanges: [.saveRecord(Self.id(note))]) }
    }

    /// The user deletes a note.
    func delete(_ note: String, _ engine: CKSyncEngine) {
        state.withLock { $0.notes[note] = nil }
        engine.state.add(pendingRecordZoneChanges: [.deleteRecord(Self.id(note))])
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        point(self)
        guard begin(event) else { return }
        handle(event, syncEngine)
        await hook(event, syncEngine)
        state.withLock { $0.isHandling = false }
        point(self)
    }

    private func begin(_ event: CKSyncEngine.Event) -> Bool {
        state.withLock { state in
            guard !state.isDead else { return false }
            if state.isHandling { state.overlaps += 1 }
            state.isHandling = true
            state.events.append(String("\(event)".prefix { $0 != "(" }))
            return true
        }
    }

    private func handle(_ event: CKSyncEngine.Event, _ engine: CKSyncEngine) {
        switch event {
        case .stateUpdate(let update): store(update.stateSerialization)
        case .accountChange(let change):
            if case .signIn = change.changeType {
                engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zone))])
            } else {
                state.withLock { $0.notes = [:] }
            }
        case .fetchedDatabaseChanges: break
        case .fetchedRecordZoneChanges(let changes):
            for modification in changes.modifications { merge(modification.record) }
            for deletion in changes.deletions { forget(deletion.recordID.recordName, engine) }
        case .sentRecordZoneChanges(let sent): handle(sent, engine)
        default: break
        }
    }

    private func store(_ serialization: CKSyncEngine.State.Serialization) {
        let data = try? JSONEncoder().encode(serialization)
        state.withLock { state in
            state.disk.notes = state.notes
            state.disk.engine = data
            for change in serialization.contents.recordChanges.changes {
                guard case .saveRecord(let id) = change, let note = state.notes[id.recordName] else { continue }
                state.disk.promised[id.recordName, default: []].formUnion(note.tokens)
            }
        }
    }

    private func merge(_ record: CKRecord) {
        state.withLock { state in
            let tokens: [String] = record["tokens"] ?? []
            var note = state.notes[record.recordID.recordName] ?? Note(tokens: [])
            note.tokens.formUnion(tokens)
            note.tag = record.recordChangeTag
            state.notes[record.recordID.recordName] = note
        }
    }

    private func forget(_ note: String, _ engine: CKSyncEngine) {
        state.withLock { $0.notes[note] = nil }
        engine.state.remove(pendingRecordZoneChanges: [.saveRecord(Self.id(note))])
    }

    private func handle(_ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) {
        for record in sent.savedRecords {
            state.withLock { $0.notes[record.recordID.recordName]?.tag = record.recordChangeTag }
        }
        for failure in sent.failedRecordSaves {
            let id = failure.record.recordID
            switch failure.error.code {
            case .serverRecordChanged:
                if let server = failure.error.serverRecord { merge(server) }
                engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
            case .zoneNotFound:
                state.withLock { $0.notes[id.recordName]?.tag = nil }
                engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
                engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
            case .unknownItem:
                if id.recordName.hasPrefix("brief") {
                    state.withLock { $0.notes[id.recordName] = nil }
                } else {
                    state.withLock { $0.notes[id.recordName]?.tag = nil }
                    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
                }
            default: break
            }
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        point(self)
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
            guard let note = self.state.withLock({ $0.notes[id.recordName] }) else {
                syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
                return nil
            }
            let record = CKRecord(recordType: "Note", recordID: id)
            record.state.withLock { $0.system.changeTag = note.tag }
            record["tokens"] = note.tokens.sorted()
            return record
        }
    }
}
