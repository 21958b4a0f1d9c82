import CloudKit
import Foundation

/// Notes that several machines keep in step.
@main struct Notes {
    static let usage = """
        usage: notes [--folder FOLDER] [COMMAND]
          list                   lists the notes; * marks those that the server does not have
          show NOTE              prints a note and the names of its attachments
          add TEXT               adds a note, and prints its name
          edit NOTE TEXT         replaces the text
          append NOTE TEXT       adds a line
          attach NOTE FILE       attaches a file
          detach NOTE NAME       removes an attachment
          extract NOTE NAME FILE writes an attachment to a file
          remove NOTE            removes a note
          sync                   sends and fetches changes
        Without a command, it keeps the notes in step, and reads commands from the standard input.
        All commands except sync work offline. The folder is $NOTES_FOLDER, or ~/.local/share/zonda-notes.
        """

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") { return print(usage) }
        let environment = ProcessInfo.processInfo.environment
        var folder = environment["NOTES_FOLDER"] ?? "\(environment["HOME"] ?? ".")/.local/share/zonda-notes"
        if arguments.first == "--folder", arguments.count > 1 {
            folder = arguments[1]
            arguments.removeFirst(2)
        }
        do {
            let notebook = Notebook(try NoteStore(URL(fileURLWithPath: folder)))
            if arguments.isEmpty {
                try await Session(notebook, await notebook.startEngine(isAutomatic: true)).run()
            } else {
                try await notebook.run(arguments)
            }
        } catch {
            print(error: "\((error as? NotesError)?.description ?? error.localizedDescription)")
            exit(1)
        }
    }
}

/// Keeps the notes in step while it reads commands.
struct Session {
    private let notebook: Notebook
    private let engine: CKSyncEngine

    init(_ notebook: Notebook, _ engine: CKSyncEngine) { (self.notebook, self.engine) = (notebook, engine) }

    func run() async throws {
        let lines = AsyncStream<String> { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
        for await line in lines {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            guard !words.isEmpty else { continue }
            do {
                try await notebook.run(words)
            } catch {
                print(error: "\((error as? NotesError)?.description ?? error.localizedDescription)")
            }
        }
        await engine.cancelOperations()
    }
}

extension Notebook {
    /// Runs a command.
    func run(_ words: [String]) async throws {
        func text(_ first: Int) throws -> String {
            guard words.count > first else { throw NotesError("Too few words. See notes --help.") }
            return words[first...].joined(separator: " ")
        }
        func word(_ index: Int) throws -> String {
            guard words.count > index else { throw NotesError("Too few words. See notes --help.") }
            return words[index]
        }
        switch words[0] {
        case "list":
            for (name, note) in store.notes.sorted(by: { $0.key < $1.key }) where !note.isDeleted {
                let title = note.text.split(separator: "\n").first ?? ""
                let count = note.files.isEmpty ? "" : " [\(note.files.count)]"
                print("\(name) \(note.isChanged ? "*" : " ") \(title)\(count)")
            }
        case "show":
            guard let note = store.notes[try word(1)], !note.isDeleted else {
                throw NotesError("There is no note \(try word(1)).")
            }
            print(note.text)
            for name in note.files.keys.sorted() { print("attachment \(name)") }
        case "add":
            let name = String(UUID().uuidString.lowercased().prefix(8))
            try put(name, Note(text: try text(1)))
            print(name)
        case "edit": try change(try word(1)) { $0.text = try text(2) }
        case "append": try change(try word(1)) { $0.text += ($0.text.isEmpty ? "" : "\n") + (try text(2)) }
        case "attach":
            let source = URL(fileURLWithPath: try text(2))
            let file = try store.adopt(source)
            try change(try word(1)) { $0.files[source.lastPathComponent] = file }
        case "detach": try change(try word(1)) { $0.files[try text(2)] = nil }
        case "extract":
            guard let file = store.notes[try word(1)]?.files[try word(2)] else {
                throw NotesError("There is no such attachment.")
            }
            try FileManager.default.copyItem(at: store.url(file), to: URL(fileURLWithPath: try text(3)))
        case "remove": try change(try word(1)) { $0.isDeleted = true }
        case "sync": try await synchronize()
        default: throw NotesError("There is no command \(words[0]). See notes --help.")
        }
    }

    /// Sends and fetches until everything is sent. What fails is tried again after the conflicts have been merged.
    private func synchronize() async throws {
        let engine = runningEngine ?? startEngine(isAutomatic: false)
        for attempt in 1... {
            do {
                try await engine.fetchChanges()
                try await engine.sendChanges()
                break
            } catch let error as CKError where error.code == .partialFailure && attempt < 10 {
                continue
            }
        }
        store.removeUnusedFiles()
    }
}
