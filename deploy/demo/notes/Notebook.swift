import CloudKit
import Foundation

/// The notes of one machine, which an engine keeps in step with the other machines.
actor Notebook: CKSyncEngineDelegate {
    static let zone = CKRecordZone.ID(zoneName: "Notes")
    private static let recordType = "Note"

    var store: NoteStore
    private let machine: String
    private var engine: CKSyncEngine?
    /// The engine; nil if it was not started.
    var runningEngine: CKSyncEngine? { engine }
    /// What was last sent of each note.
    private var sent: [String: Note] = [:]

    init(_ store: NoteStore) {
        self.store = store
        machine = store.folder.lastPathComponent
    }

    /// Starts the engine. Notes that were changed while there was none are sent.
    func startEngine(isAutomatic: Bool) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(
            database: CKContainer.default().privateCloudDatabase, stateSerialization: store.engine, delegate: self)
        configuration.automaticallySync = isAutomatic
        let engine = CKSyncEngine(configuration)
        self.engine = engine
        for (name, note) in store.notes where note.isChanged { addPending(name, note) }
        return engine
    }

    private func addPending(_ name: String, _ note: Note) {
        engine?.state.add(pendingRecordZoneChanges: [
            note.isDeleted ? .deleteRecord(Self.id(name)) : .saveRecord(Self.id(name))
        ])
    }

    private static func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

    /// Changes a note, stores it, and has it sent.
    func change(_ name: String, _ body: (inout Note) throws -> Void) throws {
        guard var note = store.notes[name], !note.isDeleted else { throw NotesError("There is no note \(name).") }
        try body(&note)
        try put(name, note)
    }

    /// Stores a note, and has it sent.
    func put(_ name: String, _ note: Note) throws {
        store.notes[name] = note.isDeleted && note.base == nil ? nil : note
        try store.save()
        if note.isChanged { addPending(name, note) }
    }

    // MARK: - Events

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        do {
            switch event {
            case .stateUpdate(let update): store.engine = update.stateSerialization
            case .accountChange(let change): try handle(change, syncEngine)
            case .fetchedDatabaseChanges(let changes): handle(changes, syncEngine)
            case .fetchedRecordZoneChanges(let changes):
                for modification in changes.modifications { try merge(modification.record, "fetched") }
                for deletion in changes.deletions { forget(deletion.recordID.recordName) }
            case .sentRecordZoneChanges(let changes): try await handle(changes, syncEngine)
            default: return
            }
            try store.save()
        } catch {
            // What was not stored must not count as handed over: the next process begins with the former state.
            print(error: "the notes cannot be stored: \(error)")
            exit(74)
        }
    }

    private func handle(_ change: CKSyncEngine.Event.AccountChange, _ engine: CKSyncEngine) throws {
        switch change.changeType {
        case .signIn: break
        case .signOut(let user), .switchAccounts(let user, _): try store.setAside(of: user.recordName)
        default: break
        }
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zone))])
        for (name, note) in store.notes where note.isChanged { addPending(name, note) }
    }

    private func handle(_ changes: CKSyncEngine.Event.FetchedDatabaseChanges, _ engine: CKSyncEngine) {
        for deletion in changes.deletions where deletion.zoneID == Self.zone {
            print("the notes were deleted on the server")
            for (name, var note) in store.notes {
                let isKept = deletion.reason != .purged && (note.isChanged || deletion.reason == .encryptedDataReset)
                note.base = nil
                store.notes[name] = isKept && !note.isDeleted ? note : nil
                if isKept { addPending(name, note) }
            }
            guard deletion.reason != .purged else { continue }
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zone))])
        }
    }

    /// Takes a record of the server.
    private func merge(_ record: CKRecord, _ word: String) throws {
        let name = record.recordID.recordName
        var note = store.notes[name] ?? Note(base: nil)
        let isNew = store.notes[name] == nil
        let (text, files) = try content(of: record, known: note)
        if isNew {
            (note.text, note.files) = (text, files)
        } else {
            note.merge(text: text, files: files, machine: machine)
        }
        if note.isDeleted, note.base?.text != text || note.base?.files != files {
            // Somebody has changed the note: it is not deleted.
            engine?.state.remove(pendingRecordZoneChanges: [.deleteRecord(record.recordID)])
            note.isDeleted = false
        }
        note.base = Note.Base(text: text, files: files, systemFields: record.systemFields)
        store.notes[name] = note
        if note.isChanged { addPending(name, note) }
        print("\(word) \(name)")
    }

    private func content(of record: CKRecord, known: Note) throws -> (String, [String: String]) {
        let names: [String] = record["fileNames"] ?? []
        let assets: [CKAsset] = record["files"] ?? []
        var files: [String: String] = [:]
        for (name, asset) in zip(names, assets) {
            guard let source = asset.fileURL else { throw NotesError("The attachment \(name) was not fetched.") }
            files[name] = try store.adopt(source, known: known.base?.files[name] ?? known.files[name])
        }
        return (record["text"] ?? "", files)
    }

    private func forget(_ name: String) {
        guard var note = store.notes[name] else { return }
        note.base = nil
        let isKept = !note.isDeleted && sent[name] == nil && store.notes[name]?.isChanged == true
        store.notes[name] = isKept ? note : nil
        if isKept { addPending(name, note) }
        print(isKept ? "kept \(name)" : "deleted \(name)")
    }

    private func handle(_ changes: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) async throws {
        for record in changes.savedRecords {
            let name = record.recordID.recordName
            guard let sent = sent.removeValue(forKey: name) else { continue }
            let base = Note.Base(text: sent.text, files: sent.files, systemFields: record.systemFields)
            store.notes[name]?.base = base
            print("saved \(name)")
        }
        for id in changes.deletedRecordIDs {
            if store.notes[id.recordName]?.isDeleted == true { store.notes[id.recordName] = nil }
            print("deleted \(id.recordName)")
        }
        for failure in changes.failedRecordSaves {
            let name = failure.record.recordID.recordName
            sent[name] = nil
            switch failure.error.code {
            case .serverRecordChanged:
                print("conflict \(name)")
                // The record in the error lacks its attachments.
                guard let record = try? await engine.database.record(for: failure.record.recordID) else {
                    engine.state.add(pendingRecordZoneChanges: [.saveRecord(failure.record.recordID)])
                    continue
                }
                try merge(record, "merged")
            case .zoneNotFound:
                store.notes[name]?.base = nil
                engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zone))])
                engine.state.add(pendingRecordZoneChanges: [.saveRecord(failure.record.recordID)])
            case .unknownItem:
                store.notes[name]?.base = nil
                engine.state.add(pendingRecordZoneChanges: [.saveRecord(failure.record.recordID)])
            default: print(error: "\(name) was not saved: \(failure.error.localizedDescription)")
            }
        }
        for (id, error) in changes.failedRecordDeletes {
            if error.code == .zoneNotFound { store.notes[id.recordName] = nil }
            print(error: "\(id.recordName) was not deleted: \(error.localizedDescription)")
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
            if let record = await self.record(id) { return record }
            syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
            return nil
        }
    }

    /// The record to save; nil if there is nothing to save.
    private func record(_ id: CKRecord.ID) -> CKRecord? {
        guard let note = store.notes[id.recordName], note.isChanged, !note.isDeleted else { return nil }
        let record =
            note.base.flatMap { CKRecord(systemFields: $0.systemFields) }
            ?? CKRecord(recordType: Self.recordType, recordID: id)
        if note.base?.text != note.text { record["text"] = note.text }
        if (note.base?.files ?? [:]) != note.files {
            let names = note.files.keys.sorted()
            record["fileNames"] = names
            record["files"] = names.compactMap { note.files[$0] }.map { CKAsset(fileURL: store.url($0)) }
        }
        sent[id.recordName] = note
        return record
    }
}

extension CKRecord {
    /// The system fields as an archive.
    var systemFields: Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    /// Creates a record without fields from an archive.
    convenience init?(systemFields: Data) {
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: systemFields) else { return nil }
        self.init(coder: unarchiver)
    }
}

/// Prints a line at once, also into a pipe.
func print(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Prints an error.
func print(error: String) { FileHandle.standardError.write(Data("notes: \(error)\n".utf8)) }
