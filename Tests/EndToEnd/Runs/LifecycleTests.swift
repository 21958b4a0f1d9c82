import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The start and the end of services.
    @Suite(.timeLimit(.minutes(3))) struct LifecycleTests {
        @Test func idleServiceEndsAtOnceWhenAsked() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                service.terminate()
                #expect(try await service.exit(within: .seconds(3)) == .code(0))
                #expect(service.errors == [])
            }
        }

        /// The reader of the output, such as a container engine or a shell's pipe, has ended.
        @Test(arguments: ["json", "text"])
        func aLogWithoutAReaderEndsNoProgram(format: String) async throws {
            try await ServiceStack.with { stack in
                let settings = try stack.settings(of: .subscription)
                let program = try ChildProcess(
                    "/bin/bash",
                    [
                        "-c", "exec 4> >(:); wait $!; exec \"$0\" migrate 2>&4",
                        "\(stack.environment.binaries)/zonda-subscription",
                    ], environment: settings.merging(["ZONDA_LOG_FORMAT": format, "PATH": "/usr/bin:/bin"]) { $1 })
                #expect(try await program.exit(within: .seconds(20)) == .code(0))
            }
        }

        struct WrongSetting: Sendable, CustomTestStringConvertible {
            let variable: String
            let value: String
            var testDescription: String { "\(variable)=\(value)" }

            init(_ variable: String, _ value: String) {
                self.variable = variable
                self.value = value
            }
        }

        @Test(arguments: [
            WrongSetting("ZONDA_AMQP_URL", ""), WrongSetting("ZONDA_AMQP_URL", "http://localhost"),
            WrongSetting("ZONDA_POSTGRES_URL", ""), WrongSetting("ZONDA_SIGNING_KEYS_FILE", ""),
            WrongSetting("ZONDA_SIGNING_KEYS_FILE", "/nowhere/keys"),
            WrongSetting("ZONDA_SIGNING_KEYS_FILE", "/dev/null"), WrongSetting("ZONDA_HEALTH_PORT", "70000"),
            WrongSetting("ZONDA_CREATE_CONTAINERS", "perhaps"), WrongSetting("ZONDA_RECORD_LANES", "0"),
            WrongSetting("ZONDA_RECORD_PREFETCH", "many"), WrongSetting("ZONDA_LOG_LEVEL", "loud"),
        ])
        func wrongSettingIsNamedAndEndsTheService(_ wrong: WrongSetting) async throws {
            let environment = try TestEnvironment.required()
            let keys = FileManager.default.temporaryDirectory.appending(path: TestEnvironment.uniqueName("keys"))
            try "test:\(String(repeating: "5", count: 64))\n".write(to: keys, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: keys) }
            for arguments in [["serve"], ["check"]] {
                var settings = [
                    "ZONDA_AMQP_URL": environment.amqpURL, "ZONDA_POSTGRES_URL": environment.postgresURL,
                    "ZONDA_SIGNING_KEYS_FILE": keys.path,
                ]
                settings[wrong.variable] = wrong.value
                let service = try ServiceProcess(
                    "zonda-record", arguments: arguments, settings: settings, in: environment)
                let exit = try await service.exit(within: .seconds(10))
                #expect(exit != .code(0))
                guard case .code = exit else { return #expect(Bool(false), "it crashed: \(exit)") }
                #expect(service.log.contains(wrong.variable))
            }
        }
    }
}
