import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The path of notifications from a save to a client over HTTP.
    @Suite(.timeLimit(.minutes(10))) struct CourierTests {
        @Test func aRegisteredClientHearsOverHTTPWhatAnotherSaved() async throws {
            try await Self.withServices { stack, gateway in
                let client = stack.client().with(Header.client, "laptop")
                let phone = client.with(Header.client, "phone")
                let target = try await Self.register(client, at: stack)
                try await client.zones("create", "Notes")
                _ = try await client.subscribe("Notes", "inbox", info: ["alertBody": "Something new"])

                let poll = try HTTPConversation(port: stack.gatewayPort)
                await poll.send(Self.request(target, "Origin: https://app.example.org\r\n"))
                try await Self.waitUntilListening(gateway, 1)
                try await phone.save("Notes", "a", ["n": 1])
                let reply = try await poll.reply()
                #expect(reply.status == 200)
                #expect(reply.headers["access-control-allow-origin"] != nil)
                let notification = try JSONValue(parsing: reply.body)
                #expect(notification["ck"]?["fet"]?["sid"] == "inbox")
                #expect(notification["ck"]?["cid"]?.string == stack.container)
                #expect(notification["aps"]?["alert"] == "Something new")

                // Notifications wait while no client is listening, even for a client that dies while it is listening.
                let dying = try HTTPConversation(port: stack.gatewayPort)
                await dying.send(Self.request(target))
                try await Self.waitUntilListening(gateway, 1)
                dying.reset()
                try await Self.waitUntilListening(gateway, 0)
                for name in ["b", "c", "d"] { try await phone.save("Notes", name, ["n": 2]) }
                for name in ["b", "c", "d"] {
                    await poll.send(Self.request(target))
                    let body = try JSONValue(parsing: try await poll.reply().body)
                    #expect(body["records"]?[0]?["recordName"]?.string == name)
                }
                // No part of the token is in any log.
                let token = try #require(target.firstMatch(of: /tok=([^&]+)/)?.1)
                #expect(!(await gateway.everythingTold()).contains(token))
            }
        }

        @Test func aParticipantHearsOverHTTPWhatTheOwnerShares() async throws {
            try await Self.withServices { stack, gateway in
                let client = stack.client()
                let owner = SharedNotificationScenario.User(client: client, owner: client.user, box: TestMailbox())
                let ann = SharedNotificationScenario.User(
                    client: stack.client(), owner: client.user, box: TestMailbox())
                let target = try await Self.register(ann.client, at: stack)
                try await client.zones("create", SharedNotificationScenario.zone)
                try await SharedNotificationScenario.subscribe(ann.client.with(Header.database, "shared"))
                try await owner.save("list")
                try await ann.accept(try await owner.share("S", of: "list", [ann: "READ_ONLY"]))
                try await owner.save("hidden")
                try await owner.save("item", below: "list")
                try await owner.change("S", [:])
                try await owner.save("unheard", below: "list")

                let poll = try HTTPConversation(port: stack.gatewayPort)
                var heard: [JSONValue] = []
                for _ in 0..<3 {
                    await poll.send(Self.request(target))
                    let body = try JSONValue(parsing: try await poll.reply().body)
                    #expect(body["ck"]?["met"]?["dbs"] == 3 && body["ck"]?["met"]?["sid"] == "all")
                    #expect(body["ck"]?["met"]?["zoid"]?.string == client.user)
                    heard.append(body["records"]?[0]?["recordName"] ?? .null)
                }
                #expect(heard == [.null, "item", .null])
                #expect(gateway.errors == [])
            }
        }

        @Test func aPollThatIsUnderWayOutlastsTheBrokersRestart() async throws {
            try await Self.withServices { stack, gateway in
                let client = stack.client()
                let target = try await Self.register(client, at: stack)
                try await client.zones("create", "Notes")
                _ = try await client.subscribe("Notes", "inbox")
                let poll = try HTTPConversation(port: stack.gatewayPort)
                await poll.send(Self.request(target))
                try await Self.waitUntilListening(gateway, 1)
                // Closes connections as a restart does, but only those of this virtual host.
                try await stack.environment.control(
                    "erlang",
                    """
                    [rabbit_networking:close_connection(rabbit_misc:pget(pid, C), "test")
                        || C <- rabbit_networking:connection_info_all([pid, vhost]),
                        rabbit_misc:pget(vhost, C) =:= <<"\(stack.vhost.name)">>].
                    """)
                try await eventually("saved") {
                    (try? await client.with(Header.client, "phone").save("Notes", "a", ["n": 1])) != nil ? true : nil
                }
                let body = try JSONValue(parsing: try await poll.reply().body)
                #expect(body["ck"]?["fet"]?["sid"] == "inbox")
            }
        }

        @Test func theEndOfTheGatewayAnswersThoseWhoWait() async throws {
            try await Self.withServices { stack, gateway in
                let target = try await Self.register(stack.client(), at: stack)
                let poll = try HTTPConversation(port: stack.gatewayPort)
                await poll.send(Self.request(target))
                try await Self.waitUntilListening(gateway, 1)
                gateway.terminate()
                #expect(try await poll.reply().text == "null")
                #expect(try await gateway.exit(within: .seconds(5)) == .code(0))
            }
        }

        @Test func eventsOverTLSContinueWhereTheLastConnectionEnded() async throws {
            try await TestCertificates.with("gateway") { folder in
                let certificate = folder.appending(path: "gateway.pem")
                let tls = [
                    "ZONDA_TLS_CERTIFICATE_FILE": certificate.path,
                    "ZONDA_TLS_KEY_FILE": folder.appending(path: "gateway.key").path,
                ]
                try await Self.withServices(tls) { stack, gateway in
                    let client = stack.client()
                    let phone = client.with(Header.client, "phone")
                    let target = try await Self.register(client, at: stack)
                    try await client.zones("create", "Notes")
                    _ = try await client.subscribe("Notes", "inbox")
                    let url = "https://localhost:\(stack.gatewayPort)\(target)"

                    async let first = EventSource.read(2, from: url, trusting: certificate)
                    try await Self.waitUntilListening(gateway, 1)
                    for name in ["a", "b", "c"] { try await phone.save("Notes", name, ["n": 1]) }
                    let seen = try await first
                    try await Self.waitUntilListening(gateway, 0)
                    for name in ["d", "e"] { try await phone.save("Notes", name, ["n": 1]) }
                    let rest = try await EventSource.read(
                        3, from: url, lastEventID: try #require(seen.last).id, trusting: certificate)
                    let names = (seen + rest).map { $0.data["records"]?[0]?["recordName"]?.string }
                    #expect(names == ["a", "b", "c", "d", "e"])

                    // When the service stops, the end of the poll is reported immediately.
                    try await Self.waitUntilListening(gateway, 0)
                    let last = Task {
                        try await EventSource.read(1, from: url, lastEventID: rest.last?.id, trusting: certificate)
                    }
                    try await Self.waitUntilListening(gateway, 1)
                    gateway.terminate()
                    await #expect(throws: TestFailure.self) { try await last.value }
                    #expect(try await gateway.exit(within: .seconds(10)) == .code(0))
                }
            }
        }

        private static func withServices(
            _ settings: [String: String] = [:],
            _ body: @Sendable (ServiceStack, ServiceProcess) async throws -> Void
        ) async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record)
                try await stack.startService(.subscription, ["ZONDA_COURIER_URL": "\(stack.gatewayURL)/courier"])
                let gateway = try await stack.startService(.gateway, settings)
                try await body(stack, gateway)
                #expect(gateway.errors == [])
            }
        }

        /// Registers a client, and returns the URL that it polls.
        private static func register(_ client: TestClient, at stack: ServiceStack) async throws -> String {
            let reply = try await client.ask(
                .tokensCreate, ["apnsEnvironment": "development", "clientId": "laptop"])
            let url = try #require(reply["webcourierURL"]?.string, "\(reply)")
            #expect(url.hasPrefix("\(stack.gatewayURL)/courier?tok="))
            return String(url.dropFirst(stack.gatewayURL.count))
        }

        private static func request(_ target: String, _ fields: String = "") -> String {
            "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
        }

        private static func waitUntilListening(_ gateway: ServiceProcess, _ count: Int) async throws {
            try await eventually("\(count) listen") {
                try await gateway.metric("zonda_courier_listening") == count ? true : nil
            }
        }
    }
}
