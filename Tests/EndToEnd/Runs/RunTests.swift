import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `deploy/run` with its own servers, as for a user who tries Zonda for the first time.
    @Suite(.timeLimit(.minutes(3))) struct RunTests {
        private static let firstCommands = """
            . "$1"
            zonda zone create Notes
            zonda record save --zone Notes --type Note first title=Hello
            zonda record get --zone Notes first
            """

        @Test func anEmptyHomeBecomesAWorkingStackAndEndsAsOne() async throws {
            let home = FileManager.default.temporaryDirectory.appending(path: TestEnvironment.uniqueName("home"))
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: home) }
            try "fsync=off\n".write(to: home.appending(path: "settings"), atomically: true, encoding: .utf8)
            let result: Result<Void, any Error>
            do { result = .success(try await tryOut(home)) } catch { result = .failure(error) }
            try await expect("stop", 0, home)
            try result.get()
            let stopped = try await run("deploy/run", ["status"], home)
            #expect(stopped.exit == .code(3))
        }

        private func tryOut(_ home: URL) async throws {
            try await expect("start", 0, home)
            try await expect("status", 0, home)
            let shell = try ChildProcess(
                "/bin/bash", ["-euc", Self.firstCommands, "first-commands", home.appending(path: "env").path],
                environment: ["PATH": "/usr/bin:/bin"])
            let exit = try await shell.exit(within: .seconds(30))
            #expect(exit == .code(0), "\(shell.outputText)\(shell.errorText)")
            #expect(shell.outputText.contains("Hello"))
            // Running processes continue to run.
            let before = try await run("deploy/run", ["status"], home).outputText
            try await expect("start", 0, home)
            #expect(try await run("deploy/run", ["status"], home).outputText == before)
        }

        private func expect(_ action: String, _ code: Int32, _ home: URL) async throws {
            let child = try await run("deploy/run", [action], home)
            #expect(child.exit == .code(code), "\(action): \(child.outputText)\(child.errorText)")
        }

        private func run(_ program: String, _ arguments: [String], _ home: URL) async throws -> ChildProcess {
            let child = try ChildProcess.ofRepository(
                program, arguments,
                ["ZONDA_HOME": home.path, "ZONDA_BINARIES": try TestEnvironment.required().binaries])
            try await child.exit(within: .seconds(100))
            return child
        }
    }
}
