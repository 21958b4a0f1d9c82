import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Settings on the command line and in a file.
    @Suite(.timeLimit(.minutes(1))) struct SettingTests {
        struct Usage: Sendable, CustomTestStringConvertible {
            let arguments: [String]
            let exit: Int32
            let text: String
            var testDescription: String { arguments.joined(separator: " ") }

            init(_ arguments: String, _ exit: Int32, _ text: String) {
                self.arguments = arguments.split(separator: " ").map(String.init)
                self.exit = exit
                self.text = text
            }
        }

        @Test(
            arguments: ["serve", "migrate", "check"].flatMap { command in
                [
                    Usage("\(command) --lanes 3", 64, "--lanes: is not an option"),
                    Usage("\(command) --amqp-password hunter2", 64, "ZONDA_AMQP_PASSWORD"),
                    Usage("\(command) --log-level loud", 78, "--log-level: must be one of trace"),
                    Usage("\(command) --config-file /nowhere", 78, "--config-file: must name a file"),
                    Usage("\(command) --help", 0, "zonda-record settings"),
                ]
            } + [
                Usage("migrate --log-level loud", 78, "ZONDA_POSTGRES_URL: must be set [postgres.url]"),
                Usage("--record-lanes=99", 78, "--record-lanes: must be a whole number from 1 to 64; it is '99'"),
                Usage("settings", 0, "| `record.lanes` | `ZONDA_RECORD_LANES` | `--record-lanes` |"),
            ])
        func aWrongOneIsNamedAndEndsTheProgram(_ usage: Usage) async throws {
            let program = try ServiceProcess(
                "zonda-record", arguments: usage.arguments, settings: [:], in: try TestEnvironment.required())
            let exit = try await program.exit(within: .seconds(10))
            #expect(exit == .code(usage.exit))
            let reported = await program.everythingTold()
            #expect(reported.contains(usage.text))
            #expect(!reported.contains("hunter2"))
        }

        @Test func aServiceServesWithSettingsFromOptionsAndAFile() async throws {
            try await ServiceStack.with { stack in
                let file = FileManager.default.temporaryDirectory.appending(path: "\(stack.vhost.name).json")
                defer { try? FileManager.default.removeItem(at: file) }
                try #"{"create": {"containers": true}, "record": {"lanes": 2}, "log": {"level": "error"}}"#
                    .write(to: file, atomically: true, encoding: .utf8)
                let service = try stack.launchService(
                    .record, ["ZONDA_CREATE_CONTAINERS": ""],
                    arguments: ["serve", "--config-file", file.path, "--log-level", "info"])
                try await service.waitUntilReady()
                try await stack.client().zones("create", "Notes")
                #expect(service.log.contains(#""level":"info""#))
            }
        }
    }
}
