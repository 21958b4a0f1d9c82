import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Secrets are read from their folder, and no output of a service contains one.
    @Suite(.timeLimit(.minutes(3))) struct SecretTests {
        @Test func nothingThatServicesTellHoldsASecret() async throws {
            try await ServiceStack.with { stack in
                try await SecretFiles.with(stack) { secrets in
                    for name in [ServiceName.asset, .record, .subscription, .gateway] {
                        try await stack.startService(name, secrets.settings)
                    }
                    let client = stack.client()
                    try await client.zones("create", "Notes")
                    try await client.subscribe("Notes", "inbox")
                    try await client.save("Notes", "a", ["file": try await client.upload(randomBytes(1000))])
                    #expect(try await client.bytes("Notes", "a").count == 1000)
                    for service in stack.services {
                        try await secrets.expectNone(in: service)
                        service.terminate()
                        try await service.exit(within: .seconds(10))
                        try await secrets.expectNone(in: service)
                    }
                }
            }
        }

        @Test(arguments: [("amqp-password", "broker"), ("postgres-password", "database")])
        func norDoesARefusedOne(file: String, server: String) async throws {
            try await ServiceStack.with { stack in
                try await SecretFiles.with(stack) { secrets in
                    try secrets.write(file, "wrong/\(secrets.password)")
                    for name in [ServiceName.asset, .record, .subscription, .gateway] {
                        let service = try stack.launchService(name, secrets.settings)
                        try await service.waitUntilNotReady(because: server)
                        try await eventually("the refusal is logged") {
                            service.log.contains(/refused|authentication|28P01|ACCESS_REFUSED/) ? true : nil
                        }
                        try await secrets.expectNone(in: service)
                    }
                }
            }
        }

        @Test(arguments: [
            ("amqp-url", "http://u:hunter2@h"), ("postgres-url", "postgres://u:hunter2/x@h/d"),
            ("postgres-url", "postgres://u:p@hunter2@h/d"), ("postgres-url", "postgres://u:12/hunter2@h/d"),
            ("signing-keys", "k1:hunter2"),
        ])
        func checkNamesAWrongSecretAndNotItsValue(file: String, value: String) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: TestEnvironment.uniqueName("secrets"))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let good = ["amqp-url": "amqp://h", "postgres-url": "postgres://h/d", "signing-keys": "k1:\(zeros)\n"]
            for (name, text) in good.merging([file: value], uniquingKeysWith: { $1 }) {
                try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
            }
            let check = try ServiceProcess(
                "zonda-record", arguments: ["check", "--secrets-directory", folder.path], settings: [:],
                in: try TestEnvironment.required())
            #expect(try await check.exit(within: .seconds(10)) == .code(78))
            #expect(check.log.hasPrefix("\(folder.path)/\(file): must be"))
            #expect(check.log.split(separator: "\n").count == 1)
            let reported = await check.everythingTold()
            #expect(!reported.contains("hunter2"))
        }

        private let zeros = String(repeating: "0", count: 64)
    }
}

/// The secrets of one stack's services in files: the passwords of a broker user and of the database role, and the
/// signing keys.
private struct SecretFiles {
    /// The value of both passwords. In a URL, it is percent-encoded.
    let password: String
    private let key: String
    private let folder: URL
    private let urls: [String: String]

    static func with(_ stack: ServiceStack, _ body: (SecretFiles) async throws -> Void) async throws {
        let user = TestEnvironment.uniqueName("user")
        let secrets = try await SecretFiles(stack, user: user)
        let result: Result<Void, any Error>
        do { result = .success(try await body(secrets)) } catch { result = .failure(error) }
        try? FileManager.default.removeItem(at: secrets.folder)
        try await stack.environment.control("rabbitmqctl", "delete_user", user)
        try result.get()
    }

    private init(_ stack: ServiceStack, user: String) async throws {
        password = "pass/\(TestEnvironment.uniqueName("word"))?#"
        key = (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        folder = FileManager.default.temporaryDirectory.appending(path: user)
        urls = [
            "ZONDA_AMQP_URL": try Self.url(stack.vhost.url, user: user),
            "ZONDA_POSTGRES_URL": try Self.url(stack.database.url, user: stack.database.name),
        ]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["amqp-password", "postgres-password"] { try write(name, password + "\n") }
        try write("signing-keys", "k1:\(key)\n")
        try await stack.environment.control("rabbitmqctl", "add_user", user, password)
        try await stack.environment.control(
            "rabbitmqctl", "set_permissions", "--vhost", stack.vhost.name, user, ".*", ".*", ".*")
        _ = try await stack.database.query(
            PostgresStatement("alter role current_user password '\(password)'"))
    }

    /// Settings that override those of the stack: addresses without passwords, the folder, and the most detailed log.
    var settings: [String: String] {
        urls.merging([
            "ZONDA_SECRETS_DIRECTORY": folder.path, "ZONDA_SIGNING_KEYS_FILE": "", "ZONDA_LOG_LEVEL": "trace",
        ]) { $1 }
    }

    func write(_ name: String, _ text: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    func expectNone(in service: ServiceProcess) async throws {
        let reported = await service.everythingTold()
        try #require(!reported.isEmpty)
        let encoded = password.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        for secret in [password, encoded, key] { #expect(!reported.contains(secret)) }
    }

    private static func url(_ url: String, user: String) throws -> String {
        var parts = try #require(URLComponents(string: url))
        (parts.user, parts.password) = (user, nil)
        return try #require(parts.string)
    }
}
