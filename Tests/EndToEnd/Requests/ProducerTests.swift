import AMQPClient
import CloudKitWire
import Foundation
import Logging
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Broker users that may send only some requests.
    @Suite(.timeLimit(.minutes(10))) struct ProducerTests {
        private static let otherContainer = "com.example.others"

        @Test func aProducerDoesWhatItsEntryAllowsAndNothingElse() async throws {
            try await ServiceStack.with { stack in
                let loader = try await TestProducer.make(TestEnvironment.uniqueName("loader"), in: stack)
                let (user, other) = (TestClient.newUser(), TestClient.newUser())
                let file = FileManager.default.temporaryDirectory.appending(path: "\(loader.name).json").path
                defer { try? FileManager.default.removeItem(atPath: file) }
                func write(_ entries: JSONValue...) throws {
                    let rules: JSONValue = ["producers": .array(entries)]
                    try Data(rules.encoded()).write(to: URL(fileURLWithPath: file), options: .atomic)
                }
                let entry: JSONValue = [
                    "user": .string(loader.name), "containers": [.string(stack.container)],
                    "environments": ["development"], "databases": ["private"], "users": [.string(user)],
                    "operations": ["zones.modify", "zones.list", "records.modify", "subscriptions.list"],
                ]
                let settings = ["ZONDA_PRODUCERS": file]
                let broken = try stack.launchService(.record, settings)
                #expect(try await broken.exit(within: .seconds(20)) != .code(0))
                #expect(broken.log.contains("ZONDA_PRODUCERS") && broken.log.contains("name a producers file"))

                try write(entry)
                let record = try await stack.startService(.record, settings)
                try await stack.startService(.subscription, settings)
                try await loader.run { rpc in
                    func ask(
                        _ operation: ServiceMessages.Operation, _ body: JSONValue = [:], user acting: String? = nil,
                        container: String? = nil, userID: String? = loader.name, database: String = "private",
                        identity: String? = nil
                    ) async throws -> TestReply {
                        let client = TestClient(rpc: rpc, container: container ?? stack.container, user: acting ?? user)
                            .with(Header.database, .string(database))
                            .with(Header.identity, identity.map { .string($0) })
                        var message = client.message(operation, body.encoded())
                        message.properties.userID = userID
                        return try await client.ask(message)
                    }
                    let zones: JSONValue = [
                        "operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Notes"]]]]
                    ]
                    #expect(try await ask(.zonesModify, zones).status == 200)
                    #expect(try await ask(.zonesList)["zones"]?.array?.count == 2)
                    #expect(try await ask(.subscriptionsList).status == 200)
                    let refused = [
                        try await ask(.zonesModify, zones, user: other),
                        try await ask(.zonesModify, zones, container: Self.otherContainer),
                        try await ask(.zonesList, database: "public"),
                        try await ask(.recordsQuery),
                        try await ask(.containersList),
                        try await ask(.containersCreate, ["container": .string(Self.otherContainer)]),
                        try await ask(.subscriptionsStates),
                        try await ask(.subscriptionsList, user: other),
                        try await ask(.zonesList, userID: nil),
                        try await ask(.zonesList, identity: "ada@example.org"),
                    ]
                    for reply in refused {
                        #expect(reply.status == 403)
                        #expect(reply.body.errorCode == "ACCESS_DENIED")
                        #expect(reply.body.reasonCode == "producer_not_allowed")
                    }
                    // The broker does not accept another user's name.
                    let forged = await #expect(throws: AMQPError.self) {
                        _ = try await ask(.zonesList, userID: "\(loader.name)x")
                    }
                    #expect(forged?.replyCode == 406)
                    #expect(try await record.metric("zonda_producers_refused_total") >= 7)
                    // Nothing was executed.
                    #expect(try await ask(.zonesList)["zones"]?.array?.count == 2)
                    let made = try await stack.database.query(
                        "select 1 from record.container where name = $1", [.text(Self.otherContainer)])
                    #expect(made.isEmpty)

                    // The operator revokes the right. While the file is invalid, nothing changes.
                    try write()
                    try await eventually("the right is gone") {
                        try await ask(.zonesList).status == 403 ? true : nil
                    }
                    try Data("{".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
                    try await eventually("the broken file is reported") {
                        _ = try await ask(.zonesList)
                        return record.log.contains("the previous rules stay in force") ? true : nil
                    }
                    #expect(try await ask(.zonesList).status == 403)
                    try write(entry)
                    try await eventually("the right is back") {
                        try await ask(.zonesList).status == 200 ? true : nil
                    }
                }
                try await loader.remove()
            }
        }

        @Test func aProducerIsNotAnsweredInAnothersQueueAndLeavesNoBodies() async throws {
            try await ServiceStack.with { stack in
                let loader = try await TestProducer.make(TestEnvironment.uniqueName("loader"), in: stack)
                let configuration = try stack.vhost.configuration()
                let file = FileManager.default.temporaryDirectory.appending(path: "\(loader.name).json").path
                defer { try? FileManager.default.removeItem(atPath: file) }
                try Data("{\"producers\": []}".utf8).write(to: URL(fileURLWithPath: file))
                try await stack.startService(.record, ["ZONDA_PRODUCERS": file])
                let (own, other) = ("reply.\(loader.name).1", "reply.another.1")
                try await AMQPChannelSession.with(configuration) { session in
                    for queue in [own, other] { _ = try await session.declare(AMQPQueue(name: queue)) }
                }
                func message(_ id: String, replyTo: String?) -> AMQPMessage {
                    var message = stack.client().message(.recordsModify, Array("{\"secret\": 1}".utf8), messageID: id)
                    (message.properties.userID, message.properties.replyTo) = (loader.name, replyTo)
                    return message
                }
                try await loader.publish([
                    message("mine", replyTo: own), message("another's", replyTo: other), message("none", replyTo: nil),
                ])
                try await TestQueue.withDeliveries(of: own, configuration) { box in
                    let answer = try TestReply(try await box.first("the answer") { _ in true })
                    #expect(answer.body.reasonCode == "producer_not_allowed")
                }
                try await TestQueue.withDeliveries(of: Queue.deadLetters, configuration) { box in
                    let foreign = try await box.first("the other's") { $0.properties.messageID == "another's" }
                    #expect(foreign.properties.headers.string(Header.deadReason) == "reply_to_not_allowed")
                    let refused = try await box.first("without an answer") { $0.properties.messageID == "none" }
                    #expect(refused.properties.headers.string(Header.deadReason) == "producer_not_allowed")
                    #expect(refused.body.isEmpty && foreign.body.isEmpty)
                }
                try await AMQPChannelSession.with(configuration) { session in
                    let status = try await session.status(ofQueue: other)
                    #expect(status?.messageCount == 0)
                }
                try await loader.remove()
            }
        }

        @Test func theDeploymentsOwnFileLetsItsOperatorWork() async throws {
            try await ServiceStack.with { stack in
                let folder = stack.deployment.secretsFolder(of: .record).deletingLastPathComponent()
                let file = folder.appending(path: "producers/producers.json")
                let entries = try JSONValue(parsing: try String(contentsOf: file, encoding: .utf8))["producers"]?.array
                let operatorName = try #require(entries?.first?["user"]?.string)
                try await stack.startService(.record, ["ZONDA_PRODUCERS": file.path])
                let secret = try String(
                    contentsOf: folder.appending(path: "operator/amqp-password"), encoding: .utf8
                ).trimmingCharacters(in: .newlines)
                var url = try #require(URLComponents(string: stack.vhost.url))
                (url.user, url.password) = (operatorName, secret)
                let client = stack.client()
                let output = try await stack.output(
                    of: ["zone", "create", "Notes", "--json", "--amqp-url", url.string ?? ""], as: client)
                #expect(output.contains("Notes"))
                let stranger = try stack.zonda(["zone", "list"], as: client)
                #expect(try await stranger.exit(within: .seconds(30)) == .code(1))
            }
        }
    }
}

/// A broker user with the right to publish users' and operators' requests, and no other rights.
private struct TestProducer {
    let name: String
    private let stack: ServiceStack
    private let configuration: AMQPConfiguration

    static func make(_ name: String, in stack: ServiceStack) async throws -> TestProducer {
        let password = UUID().uuidString
        try await stack.environment.control(
            "erlang",
            """
            ok = rabbit_auth_backend_internal:add_user(<<"\(name)">>, <<"\(password)">>, <<"test">>),
            ok = rabbit_auth_backend_internal:set_permissions(
                <<"\(name)">>, <<"\(stack.vhost.name)">>, <<"^$">>, <<"^zonda\\\\.(requests|admin)$">>, <<"^$">>,
                <<"test">>).
            """)
        var configuration = try stack.vhost.configuration()
        (configuration.user, configuration.password) = (name, password)
        return TestProducer(name: name, stack: stack, configuration: configuration)
    }

    func remove() async throws {
        try await stack.environment.control(
            "erlang", "rabbit_auth_backend_internal:delete_user(<<\"\(name)\">>, <<\"test\">>).")
    }

    func publish(_ messages: [AMQPMessage]) async throws {
        let publisher = AMQPPublisher(
            configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            defer { group.cancelAll() }
            for message in messages { try await publisher.publish(message) }
        }
    }

    func run(_ body: (AMQPRPCClient) async throws -> Void) async throws {
        let rpc = AMQPRPCClient(
            configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await rpc.run() }
            defer { group.cancelAll() }
            try await body(rpc)
        }
    }
}
