import Dispatch
import Foundation
import Glibc

/// A program that a test runs. Its output is written to files, so that it never waits for a reader.
package final class ChildProcess: Sendable {
    /// The way in which a program ended.
    package enum Exit: Sendable, Equatable {
        /// It exited with a status.
        case code(Int32)
        /// It was killed by a signal.
        case signal(Int32)
    }

    /// The process's id.
    package let id: Int32
    private let exits = TestMailbox<Exit>()
    private let folder: URL

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - path: the path of the executable.
    ///   - environment: all environment variables of the program.
    /// - Throws: ``TestFailure`` if the program cannot be started.
    package init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "zonda-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        id = try Self.spawn(path, arguments, environment: environment, folder: folder)
        let (id, exits) = (id, exits)
        DispatchQueue(label: "child-\(id)").async {
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            exits.add(signal == 0 ? .code((status >> 8) & 0xFF) : .signal(signal))
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The standard output so far.
    package var outputText: String { text("output") }

    /// The standard error so far.
    package var errorText: String { text("error") }

    /// The way in which the program ended; nil while it is running.
    package var exit: Exit? { exits.elements.first }

    /// Sends a signal to the program, unless it has ended.
    package func send(_ signal: Int32) {
        if exit == nil { Glibc.kill(id, signal) }
    }

    /// Waits for the program to end.
    ///
    /// - Throws: ``TestFailure`` if it runs for longer than `limit`.
    @discardableResult
    package func exit(within limit: Duration) async throws -> Exit {
        try await exits.first("process \(id) ends", within: limit)
    }

    private func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }

    /// Uses `posix_spawn` rather than Foundation's `Process`. A program inherits the signal mask of the thread that
    /// starts it, and the threads of Swift's runtime block SIGTERM.
    private static func spawn(
        _ path: String, _ arguments: [String], environment: [String: String], folder: URL
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 1, folder.appending(path: "output").path, flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, folder.appending(path: "error").path, flags, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        return try withCStrings([path] + arguments) { argv in
            try withCStrings(environment.map { "\($0.key)=\($0.value)" }) { envp in
                var id: pid_t = 0
                let error = posix_spawn(&id, path, &actions, &attributes, argv, envp)
                guard error == 0 else {
                    throw TestFailure("\(path) cannot be started: \(String(cString: strerror(error)))")
                }
                return id
            }
        }
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Result
    ) throws -> Result {
        let copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return try copies.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { throw TestFailure("no arguments") }
            return try body(base)
        }
    }
}

extension ChildProcess {
    /// Starts a program of the repository with the environment of this process. `settings` override its variables.
    package static func ofRepository(
        _ path: String, _ arguments: [String], _ settings: [String: String] = [:]
    ) throws -> ChildProcess {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try ChildProcess(
            repository.appending(path: path).standardized.path, arguments,
            environment: ProcessInfo.processInfo.environment.merging(settings) { $1 })
    }
}
