import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The ways in which sign-ins end, and the things that end with them.
    @Suite(.timeLimit(.minutes(5))) struct SessionTests {
        @Test func aChangedPasswordEndsSignInsAndTheirNotifications() async throws {
            try await Self.withServices { stack, gateway in
                let (email, apiToken) = try await Self.account(stack)
                let user = try await Self.signIn(email, apiToken, stack)
                let courier = try await Self.listen(user, stack)
                let poll = try HTTPConversation(port: stack.gatewayPort)
                await poll.send("GET \(courier) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await Self.waitUntilListening(gateway, 1)

                let listed = try await stack.operator.ask(.usersSignIns, ["email": .string(email)])
                let signIn = try #require(listed["signIns"]?[0], "\(listed)")
                #expect(signIn["address"]?.string == "127.0.0.1")
                #expect(signIn["container"]?.string == stack.container)
                #expect(signIn["lastUsed"]?.int != nil)

                let changed = try await stack.operator.ask(
                    .usersPassword, ["email": .string(email), "password": "another horse battery"])
                #expect(changed["sessions"]?.int == 1, "\(changed)")
                // The poll ends long before its time is over.
                #expect(try await poll.reply().text == "null")
                let next = try await AssetClient.get(stack.gatewayURL + courier)
                #expect(next.json["reasonCode"]?.string == "apns_token_not_registered", "\(next.text)")
                try await Self.waitUntilRefused(user)
                let none = try await stack.operator.ask(.usersSignIns, ["email": .string(email)])
                #expect(none["signIns"] == [])

                // If the operator requests it, the sign-ins do not end.
                let again = try await Self.signIn(email, apiToken, stack)
                let kept = try await stack.operator.ask(
                    .usersPassword,
                    ["email": .string(email), "password": "a third horse battery", "keepsSignIns": true])
                #expect(kept["sessions"]?.int == 0)
                #expect(try await again.ask("zones/list").status == 200)
            }
        }

        @Test func signingOutEndsThatSignInAlone() async throws {
            try await Self.withServices { stack, gateway in
                let (email, apiToken) = try await Self.account(stack)
                let phone = try await Self.signIn(email, apiToken, stack)
                let laptop = try await Self.signIn(email, apiToken, stack)
                let ofPhone = try await Self.listen(phone, stack)
                let ofLaptop = try await Self.listen(laptop, stack)
                let poll = try HTTPConversation(port: stack.gatewayPort)
                await poll.send("GET \(ofPhone) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await Self.waitUntilListening(gateway, 1)

                let reply = try await phone.ask("users/signOut", in: "public")
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply.headers["x-apple-cloudkit-web-auth-token"] == nil)
                // At the gateway that received the request, the sign-in ends immediately.
                #expect(try await phone.ask("zones/list").status == 421)
                #expect(try await poll.reply().text == "null")
                #expect(try await laptop.ask("zones/list").status == 200)
                let other = try HTTPConversation(port: stack.gatewayPort)
                await other.send("GET \(ofLaptop) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let saved = try await laptop.ask(
                    "records/modify",
                    """
                    {"zoneID":{"zoneName":"Notes"},"operations":[
                        {"operationType":"create","record":{"recordName":"a","recordType":"Note","fields":{}}}]}
                    """)
                #expect(saved.status == 200, "\(saved.text)")
                #expect(try await other.reply().text.contains("\"a\""))
            }
        }

        @Test func whatARemovedAccountHadSubscribedToIsForgotten() async throws {
            try await Self.withServices { stack, _ in
                let (email, apiToken) = try await Self.account(stack)
                let user = try await Self.signIn(email, apiToken, stack)
                _ = try await Self.listen(user, stack)
                let rows: PostgresStatement = "select count(*) from subscription.subscription"
                #expect(try await stack.database.query(rows)[0].int64(0) == 1)
                #expect(try await stack.operator.ask(.usersDelete, ["email": .string(email)])["deleted"] == true)
                try await eventually("nothing is left") {
                    let clients = try await stack.database.query("select count(*) from subscription.client")
                    let isEmpty = try await stack.database.query(rows)[0].int64(0) == 0
                    return isEmpty && clients[0].int64(0) == 0 ? true : nil
                }
            }
        }

        // MARK: Parts

        private static func withServices(
            _ body: @Sendable (ServiceStack, ServiceProcess) async throws -> Void
        ) async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record)
                try await stack.startService(.subscription, ["ZONDA_COURIER_URL": "\(stack.gatewayURL)/courier"])
                let gateway = try await stack.startService(.gateway)
                try await body(stack, gateway)
                #expect(gateway.errors == [])
            }
        }

        private static func account(_ stack: ServiceStack) async throws -> (email: String, apiToken: String) {
            let world = try await GatewayClient.world(stack)
            guard case .token(let apiToken) = world.credentials else { throw TestFailure("no API token") }
            let email = "\(UUID().uuidString.lowercased())@example.org"
            let made = try await stack.operator.ask(
                .usersCreate, ["email": .string(email), "password": "correct horse battery"])
            guard made.status == 200 else { throw TestFailure("no user: \(made)") }
            return (email, apiToken)
        }

        private static func signIn(
            _ email: String, _ apiToken: String, _ stack: ServiceStack
        ) async throws -> GatewayClient {
            let reply = try await stack.operator.ask(
                .usersToken,
                ["email": .string(email), "container": .string(stack.container), "environment": "development"])
            guard let token = reply["webAuthToken"]?.string else { throw TestFailure("no token: \(reply)") }
            return GatewayClient(stack: stack, credentials: .user(apiToken, webAuthToken: token))
        }

        /// Registers a client, subscribes to a zone, and returns the URL that the client polls.
        private static func listen(_ user: GatewayClient, _ stack: ServiceStack) async throws -> String {
            let zone = try await user.ask(
                "zones/modify", #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#)
            guard zone.status == 200 else { throw TestFailure("no zone: \(zone.text)") }
            let registered = try await user.ask("tokens/create", in: nil, #"{"apnsEnvironment":"development"}"#)
            guard let url = registered.json["webcourierURL"]?.string else {
                throw TestFailure("no client: \(registered.text)")
            }
            let subscribed = try await user.ask(
                "subscriptions/modify",
                """
                {"operations":[{"operationType":"create","subscription":{"subscriptionID":"inbox",
                    "subscriptionType":"zone","zoneID":{"zoneName":"Notes"}}}]}
                """)
            guard subscribed.status == 200 else { throw TestFailure("no subscription: \(subscribed.text)") }
            return String(url.dropFirst(stack.gatewayURL.count))
        }

        private static func waitUntilListening(_ gateway: ServiceProcess, _ count: Int) async throws {
            try await eventually("\(count) listen") {
                try await gateway.metric("zonda_courier_listening") == count ? true : nil
            }
        }

        /// Waits until requests are refused. A gateway uses the result of a look-up for some seconds.
        private static func waitUntilRefused(_ user: GatewayClient) async throws {
            try await eventually("the token is refused") {
                try await user.ask("zones/list").status == 421 ? true : nil
            }
        }
    }
}
