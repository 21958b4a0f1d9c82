import CloudKit
import Foundation

/// The notes of one machine: a folder with a file of notes, the engine's state, and the attachments.
struct NoteStore {
    private struct Content: Codable {
        var notes: [String: Note] = [:]
        var engine: CKSyncEngine.State.Serialization?
    }

    let folder: URL
    private var content = Content()
    private let lock: FolderLock
    private var file: URL { folder.appendingPathComponent("notes.json") }
    private var attachments: URL { folder.appendingPathComponent("attachments") }

    var notes: [String: Note] {
        get { content.notes }
        set { content.notes = newValue }
    }

    var engine: CKSyncEngine.State.Serialization? {
        get { content.engine }
        set { content.engine = newValue }
    }

    /// Opens the notes of a folder, which is created if necessary.
    ///
    /// - Throws: ``NotesError`` if another process has opened them; the error of reading a file.
    init(_ folder: URL) throws {
        self.folder = folder
        let attachments = folder.appendingPathComponent("attachments")
        try FileManager.default.createDirectory(at: attachments, withIntermediateDirectories: true)
        lock = try FolderLock(folder)
        if FileManager.default.fileExists(atPath: file.path) {
            content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
        }
    }

    /// Writes everything at once: after a crash, the folder has either the former content or the new one.
    func save() throws { try JSONEncoder().encode(content).write(to: file, options: .atomic) }

    /// Keeps the notes of a former user under another name, and begins with none.
    mutating func setAside(of user: String) throws {
        try JSONEncoder().encode(content).write(
            to: folder.appendingPathComponent("notes-\(user).json"), options: .atomic)
        content = Content()
        try save()
    }

    /// The file with the content of an attachment.
    func url(_ file: String) -> URL { attachments.appendingPathComponent(file) }

    /// Copies a file into the folder. Files there never change, so that equal names mean equal content.
    ///
    /// - Parameter known: a file that is used instead if it has the same content.
    func adopt(_ source: URL, known: String? = nil) throws -> String {
        if let known, FileManager.default.contentsEqual(atPath: source.path, andPath: url(known).path) { return known }
        let name = UUID().uuidString
        try FileManager.default.copyItem(at: source, to: url(name))
        return name
    }

    /// Removes the files that no note uses.
    func removeUnusedFiles() {
        let used = Set(notes.values.flatMap { Array($0.files.values) + Array(($0.base?.files ?? [:]).values) })
        let present = (try? FileManager.default.contentsOfDirectory(atPath: attachments.path)) ?? []
        for name in present where !used.contains(name) { try? FileManager.default.removeItem(at: url(name)) }
    }
}

/// An error for the user.
struct NotesError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Lets one process at a time use a folder.
final class FolderLock: Sendable {
    private let descriptor: Int32

    init(_ folder: URL) throws {
        descriptor = open(folder.appendingPathComponent("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw NotesError("The notes in \(folder.path) are open in another process. Type the command there.")
        }
    }

    deinit { close(descriptor) }
}
