import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// If the database refuses a connection, the error names the setting to change, not only the SQLSTATE.
    @Suite(.timeLimit(.minutes(1))) struct RefusedConnectionTests {
        @Test func aServiceSaysWhichSettingIsWrong() async throws {
            try await ServiceStack.with { stack in
                let url = try stack.deployment.databaseURL(of: .record)
                for (wrong, text) in [
                    (
                        try Self.replacing(url) { $0.password = "wrong" },
                        "refuses the password. Set ZONDA_POSTGRES_PASSWORD"
                    ),
                    (try Self.replacing(url) { $0.path = "/none" }, "There is no such database. Check"),
                ] {
                    let service = try stack.launchService(.record, ["ZONDA_POSTGRES_URL": wrong])
                    try await service.waitUntilNotReady(because: text)
                    #expect(service.log.contains(text))
                    service.kill()
                    let migration = try ServiceProcess(
                        "zonda-record", arguments: ["migrate"],
                        settings: try stack.settings(of: .record).merging(["ZONDA_POSTGRES_URL": wrong]) { $1 },
                        in: stack.environment)
                    #expect(try await migration.exit(within: .seconds(20)) == .code(1))
                    #expect(migration.log.contains(text))
                }
            }
        }

        @Test func provisioningNamesTheFileOfTheWrongPassword() async throws {
            try await ServiceStack.with { stack in
                let folder = FileManager.default.temporaryDirectory.appending(
                    path: TestEnvironment.uniqueName("secrets"))
                defer { try? FileManager.default.removeItem(at: folder) }
                let url = try Self.replacing(stack.database.url) { $0.password = nil }
                for (arguments, code, text) in [
                    (["secrets", folder.path], 0, ""),
                    (
                        ["database", "--secrets", folder.path, "--operator-secret", "--postgres-url", url], 1,
                        "zonda: The database refuses the password. Set \(folder.path)/operator/postgres-password"
                    ),
                ] as [([String], Int32, String)] {
                    let process = try ChildProcess(
                        "\(stack.environment.binaries)/zonda", ["provision"] + arguments,
                        environment: ["PATH": "/usr/bin:/bin"])
                    #expect(try await process.exit(within: .seconds(30)) == .code(code))
                    #expect(process.errorText.hasPrefix(text), "\(process.errorText)")
                }
            }
        }

        private static func replacing(_ url: String, _ change: (inout URLComponents) -> Void) throws -> String {
            var components = try #require(URLComponents(string: url))
            change(&components)
            return try #require(components.string)
        }
    }
}
