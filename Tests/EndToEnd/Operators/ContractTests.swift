import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// `deploy/docs/asyncapi.yaml` agrees with the code, the broker and real messages; see `Tests/Contract`.
    @Suite(.timeLimit(.minutes(3))) struct ContractTests {
        /// The grace of deletions in seconds. It is long enough to look at a job while it waits.
        private static let grace = 3

        @Test func documentIsSoundAndNamesWhatTheCodeHas() async throws {
            try await Self.check("structure", String(decoding: Self.code.encoded(), as: UTF8.self))
        }

        @Test func documentSaysWhatTheBrokerHas() async throws {
            try await Self.withServices { stack in
                // A client's queue exists only while a client is registered.
                let client = stack.client()
                _ = try await client.ask(.containersCreate, ["container": .string(client.container)])
                let made = try await client.ask(.tokensCreate, ["apnsEnvironment": "development"])
                #expect(made.status == 200, "\(made)")
                let folder = FileManager.default.temporaryDirectory.appending(path: "topology-\(stack.vhost.name)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                for (name, columns) in [
                    ("exchanges", ["name", "type", "durable", "auto_delete", "arguments"]),
                    ("queues", ["name", "durable", "auto_delete", "arguments"]),
                    ("bindings", ["source_name", "destination_name", "routing_key"]),
                ] {
                    let list = try await stack.environment.control(
                        ["rabbitmqctl", "--silent", "--formatter", "json", "--vhost", stack.vhost.name, "list_\(name)"]
                            + columns)
                    try list.write(to: folder.appending(path: "\(name).json"), atomically: true, encoding: .utf8)
                }
                try await Self.check("topology", folder.path)
            }
        }

        @Test func realMessagesAreAsDocumentedAndChangedOnesAreNot() async throws {
            try await Self.withServices(["ZONDA_CLIENT_MESSAGES": "1"]) { stack in
                try await Self.check("messages", "\(Self.grace)", settings: stack.clientSettings)
            }
        }

        private static func withServices(
            _ settings: [String: String] = [:], _ body: (ServiceStack) async throws -> Void
        ) async throws {
            try await ServiceStack.with { stack in
                let haste = [
                    "ZONDA_ASSET_GRACE": "\(grace)s", "ZONDA_ASSET_RECEIPT_LIFE": "2s", "ZONDA_ASSET_SWEEP": "1s",
                    "ZONDA_THROTTLE_CONTAINER_RATE": "100000", "ZONDA_THROTTLE_USER_RATE": "100000",
                ]
                for name in [ServiceName.asset, .record, .subscription, .gateway] {
                    try await stack.startService(name, haste.merging(settings) { $1 })
                }
                try await body(stack)
            }
        }

        private static func check(
            _ command: String, _ argument: String, settings: [String: String] = [:]
        ) async throws {
            let check = try ChildProcess.ofRepository("Tests/Contract/check", [command, argument], settings)
            let exit = try await check.exit(within: .seconds(100))
            #expect(exit == .code(0), "\(check.outputText)\(check.errorText)")
        }

        /// The names in the code that the document must contain, and no others.
        private static var code: JSONValue {
            let operations = ServiceMessages.Operation.allCases.map { operation in
                JSONValue.Member(
                    operation.rawValue,
                    [
                        "exchange": .string(operation.exchange), "exchanges": strings(operation.exchanges),
                        "queue": .string(operation.queue), "service": .string(operation.service.rawValue),
                        "isWrite": .bool(operation.isWrite), "isScoped": .bool(operation.isScoped),
                    ])
            }
            let types = [false, true].flatMap { isList in
                FieldType.Base.ofValues.map { FieldType($0, isList: isList).wireName }
            }
            let numbers = CKErrorCode.allCases.map { Int64($0.rawValue) }
            return [
                "operations": .object(operations), "fieldTypes": strings(types),
                "errorCodes": strings(ServerErrorCode.allCases.map(\.rawValue)),
                "statuses": .array(Set(ServerErrorCode.allCases.map(\.httpStatus)).map { .int(Int64($0)) }),
                "ckErrorCodes": .array([numbers.min(), numbers.max()].map { .int($0 ?? 0) }),
                "operationTypes": strings(RecordOperation.Kind.allCases.map(\.rawValue)),
            ]
        }

        private static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    }
}
