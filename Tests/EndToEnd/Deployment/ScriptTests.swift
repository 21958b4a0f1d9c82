import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The scripts in `deploy/`, on a busy machine and in homes that are created again.
    @Suite(.timeLimit(.minutes(3))) struct ScriptTests {
        /// A reader that stops before the end kills the writer with SIGPIPE, and under `pipefail` the whole pipe then
        /// fails.
        @Test func noPipeEndsInAReaderThatStopsEarly() throws {
            let early = try [
                #"[^|]\|\s*grep\b[^|]*\s(-[A-Za-z]*[qm][A-Za-z]*|--quiet|--silent|--max-count)\b"#, #"[^|]\|\s*head\b"#,
                #"[^|]\|\s*read\b"#, #"[^|]\|\s*sed\b[^|]*[0-9;{ ]q\b"#, #"[^|]\|\s*awk\b[^|]*\bexit\b"#,
            ].map { try Regex($0) }
            let scripts = try Self.scripts()
            #expect(scripts.count > 15)
            for script in scripts {
                let lines = try String(contentsOf: script, encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false)
                for (number, line) in lines.enumerated() where !line.drop(while: \.isWhitespace).hasPrefix("#") {
                    let isFine = early.allSatisfy { line.firstMatch(of: $0) == nil }
                    #expect(isFine, "\(script.lastPathComponent):\(number + 1): \(line)")
                }
            }
        }

        @Test func statusOfAPartIsAnsweredHoweverBusyTheMachineIs() async throws {
            let home = try Home(isReachable: true)
            defer { home.remove() }
            _ = try await home.run("deploy/run", "status", "postgres")
            let exits = try await withThrowingTaskGroup(of: ChildProcess.Exit?.self) { group in
                for part in ["postgres", "rabbitmq", "record", "gateway"] {
                    for _ in 0..<8 { group.addTask { try await home.run("deploy/run", "status", part).exit } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(exits.allSatisfy { $0 == .code(3) }, "\(exits)")
        }

        @Test func aNewHomeAtTheSamePathNeverMeetsTheOldDatabase() async throws {
            // The server's user has no access to the home, so the data are outside it.
            let home = try Home(isReachable: false)
            defer { home.remove() }
            try await home.expect("deploy/servers", "start", "postgres")
            let former = try await home.process("run/postgres.pid")
            try await home.expect("deploy/servers", "psql", "-Atc", "create table former ()")
            try home.makeAgain()
            try await home.expect("deploy/servers", "start", "postgres")
            let tables = try await home.expect(
                "deploy/servers", "psql", "-Atc", "select count(*) from pg_tables where tablename = 'former'")
            #expect(tables.outputText == "0\n")
            #expect(try await home.process("run/postgres.pid") != former)
            try await home.expect("deploy/servers", "stop", "postgres")
        }

        private static func scripts() throws -> [URL] {
            let folder = repository.appending(path: "deploy")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
            return (files?.compactMap { $0 as? URL } ?? []).filter { file in
                guard let text = try? String(contentsOf: file, encoding: .utf8) else { return false }
                return file.pathExtension == "sh" || text.hasPrefix("#!") && text.prefix(40).contains("bash")
            }
        }

        private static var repository: URL {
            URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        }
    }

    /// A home for the scripts, in a temporary folder.
    private struct Home: Sendable {
        private let folder: URL
        private var home: URL { folder.appending(path: "home") }

        /// - Parameter isReachable: whether other users have access to it.
        init(isReachable: Bool) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: TestEnvironment.uniqueName("home"))
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: isReachable ? 0o755 : 0o700])
            try make()
        }

        func makeAgain() throws {
            forget()
            try FileManager.default.removeItem(at: home)
            try make()
        }

        func remove() {
            forget()
            for data in (try? String(contentsOf: outside, encoding: .utf8))?.split(separator: "\n") ?? [] {
                try? FileManager.default.removeItem(atPath: String(data))
            }
            try? FileManager.default.removeItem(at: folder)
        }

        /// Returns the process id in a file of a running process.
        func process(_ name: String) async throws -> String {
            try String(contentsOf: home.appending(path: name), encoding: .utf8)
        }

        @discardableResult
        func expect(_ program: String, _ arguments: String...) async throws -> ChildProcess {
            let child = try await run(program, arguments)
            #expect(child.exit == .code(0), "\(arguments): \(child.outputText)\(child.errorText)")
            return child
        }

        func run(_ program: String, _ arguments: String...) async throws -> ChildProcess {
            try await run(program, arguments)
        }

        private func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess {
            let child = try ChildProcess.ofRepository(program, arguments, ["ZONDA_HOME": home.path])
            try await child.exit(within: .seconds(60))
            return child
        }

        private var outside: URL { folder.appending(path: "outside") }

        private func make() throws {
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            try "fsync=off\n".write(to: home.appending(path: "settings"), atomically: true, encoding: .utf8)
        }

        /// Remembers the data folder outside the home, so that it can be removed at the end.
        private func forget() {
            let link = home.appending(path: "postgres").path
            guard let data = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else { return }
            let known = (try? String(contentsOf: outside, encoding: .utf8)) ?? ""
            try? "\(known)\(data)\n".write(to: outside, atomically: true, encoding: .utf8)
        }
    }
}
