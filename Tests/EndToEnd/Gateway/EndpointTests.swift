import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Each endpoint with the real stack: the status, the contents of the answer, and the effect of the request.
    @Suite(.sharedGateway, .timeLimit(.minutes(10))) struct EndpointTests {
        @Test(arguments: EndpointScenario.all)
        func anEndpointAnswersAsItIsDocumented(scenario: EndpointScenario) async throws {
            let stack = try SharedStack.current
            let user = try await Self.userWithRecords(stack)
            let client: GatewayClient =
                switch scenario.who {
                case .nobody: GatewayClient(stack: stack, credentials: .none)
                case .world: try await .world(stack)
                case .user: user
                case .key: try await .key(stack)
                }
            let reply = try await client.ask(
                scenario.endpoint, in: scenario.database, method: scenario.method, scenario.body)
            #expect(reply.status == scenario.status, "\(reply.text)")
            for text in scenario.contains {
                let text = text.replacing("USER", with: client.userName)
                #expect(reply.text.contains(text), "\(reply.text)")
            }
            for text in scenario.lacks { #expect(!reply.text.contains(text)) }
            check(reply, scenario)
            if let effect = scenario.effect {
                let after = try await user.ask(effect.endpoint, in: effect.database, effect.body)
                for text in effect.contains { #expect(after.text.contains(text), "\(after.text)") }
                for text in effect.lacks { #expect(!after.text.contains(text), "\(after.text)") }
            }
        }

        /// Checks the properties that all answers share.
        private func check(_ reply: AssetClient.Response, _ scenario: EndpointScenario) {
            #expect(reply.headers["x-apple-cloudkit-version"] == "1.0")
            #expect(reply.headers["x-apple-request-uuid"] != nil)
            if scenario.method == "OPTIONS" { return }
            #expect(reply.headers["content-type"] == "application/json; charset=UTF-8")
            if reply.status >= 400 {
                #expect(reply.json["uuid"]?.string == reply.headers["x-apple-request-uuid"])
                #expect(reply.json["reason"]?.string?.isEmpty == false)
                let code = reply.json["serverErrorCode"]?.string ?? ""
                #expect(Self.codes.contains(code))
            }
            let isSignedIn = scenario.who == .user && ![404, 405].contains(reply.status)
            let isRefusedBefore = reply.json["reasonCode"]?.string == "endpoint_not_in_database"
            if isSignedIn, !isRefusedBefore {
                #expect((reply.headers["x-apple-cloudkit-web-auth-token"] ?? "").count >= 100)
            }
        }

        private static let codes: Set<String> = [
            "ACCESS_DENIED", "ATOMIC_ERROR", "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED", "BAD_REQUEST",
            "CONFLICT", "EXISTS", "INTERNAL_ERROR", "NOT_FOUND", "QUOTA_EXCEEDED", "THROTTLED", "TRY_AGAIN_LATER",
            "VALIDATING_REFERENCE_ERROR", "ZONE_NOT_FOUND",
        ]

        /// Clients that were written for Apple's service treat every item with a `recordType` as an existing record.
        @Test func aTombstoneHasNoRecordType() async throws {
            let user = try await Self.userWithRecords(try SharedStack.current)
            let zone = #""zoneID":{"zoneName":"Drafts"}"#
            let before = try await user.ask("records/changes", "{\(zone)}").json["syncToken"]?.string ?? ""
            let deletion = try await user.ask(
                "records/modify",
                #"{\#(zone),"operations":[{"operationType":"forceDelete","record":{"recordName":"n-1"}}]}"#)
            #expect(deletion.status == 200)
            for endpoint in ["records/changes", "changes/zone"] {
                let page = #"{\#(zone),"syncToken":"\#(before)"}"#
                let reply = try await user.ask(
                    endpoint, endpoint == "changes/zone" ? #"{"zones":[\#(page)]}"# : page)
                let records = (endpoint == "changes/zone" ? reply.json["zones"]?.array?.first : reply.json)?["records"]
                let tombstone = try #require(records?.array?.first)
                #expect(tombstone["recordName"] == "n-1" && tombstone["deleted"] == true, "\(reply.text)")
                #expect(tombstone["recordType"] == nil && tombstone["deletedRecordType"] == "Note")
            }
        }

        @Test func aRenewedTokenIsAsGoodAsTheFirst() async throws {
            let user = try await GatewayClient.user(try SharedStack.current)
            guard case .user(let apiToken, let first) = user.credentials else { return }
            let reply = try await user.ask("zones/list")
            let fresh = try #require(reply.headers["x-apple-cloudkit-web-auth-token"])
            for token in [fresh, first] {
                var client = user
                client.credentials = .user(apiToken, webAuthToken: token)
                #expect(try await client.ask("zones/list").status == 200)
            }
            var stranger = user
            stranger.credentials = .user(apiToken, webAuthToken: String(first.reversed()))
            let refused = try await stranger.ask("zones/list", headers: ["Origin": "https://app.example"])
            #expect(refused.status == 421)
            #expect(refused.headers["access-control-allow-origin"] == "https://app.example")
        }

        @Test func aRepeatWithTheSameKeyIsExecutedOnce() async throws {
            let user = try await GatewayClient.user(try SharedStack.current)
            let body = #"{"operations":[{"operationType":"create","record":{"recordType":"Note"}}]}"#
            let headers = ["Idempotency-Key": UUID().uuidString]
            let first = try await user.ask("records/modify", body, headers: headers)
            let again = try await user.ask("records/modify", body, headers: headers)
            #expect(first.status == 200)
            #expect(again.json["records"] == first.json["records"])
            let other = try await user.ask(
                "records/modify", body.replacing("Note", with: "Memo"), headers: headers)
            #expect(other.status == 400)
            #expect(other.json["reasonCode"]?.string == "message_id_reused")
            // The same idempotency key of another user is a different key.
            let stranger = try await GatewayClient.user(try SharedStack.current)
            let theirs = try await stranger.ask("records/modify", body, headers: headers)
            #expect(theirs.status == 200)
            #expect(theirs.json["records"] != first.json["records"])
        }

        @Test func aQuotaIsHeldTo() async throws {
            let stack = try SharedStack.current
            let user = try await GatewayClient.user(stack)
            let quota = try await stack.operator.ask(
                .assetsQuota, ["container": .string(stack.container), "userQuota": 100_000_000])
            #expect(quota.status == 200)
            let reply = try await user.ask(
                "assets/upload", #"{"tokens":[{"recordType":"Note","fieldName":"photo","size":100000001}]}"#)
            #expect(reply.status == 413)
            #expect(reply.json["serverErrorCode"]?.string == "QUOTA_EXCEEDED", "\(reply.text)")
        }

        @Test func theTokenOfAZoneComesWithItsRecords() async throws {
            let user = try await Self.userWithRecords(try SharedStack.current)
            let body = #"{"zoneID":{"zoneName":"Drafts"},"query":{"recordType":"Note"}}"#
            let path = user.path("records/query", in: "private") + "?getCurrentSyncToken=true"
            let reply = try await user.send("POST", path, Array(body.utf8))
            let token = try #require(reply.json["syncToken"]?.string)
            let after = try await user.ask(
                "records/changes", #"{"zoneID":{"zoneName":"Drafts"},"syncToken":"\#(token)"}"#)
            #expect(after.json["records"]?.array == [])
        }

        @Test(arguments: EndpointScenario.all.filter { $0.who == .user })
        func anotherUserSeesAndChangesNothing(scenario: EndpointScenario) async throws {
            let stack = try SharedStack.current
            let (user, stranger) = (
                try await Self.userWithRecords(stack, title: "Secret"), try await GatewayClient.user(stack)
            )
            for body in [scenario.body, Self.owned(scenario.body, by: user.userName)] {
                let reply = try await stranger.ask(
                    scenario.endpoint, in: scenario.database, method: scenario.method, body)
                #expect(reply.status < 500, "\(reply.text)")
                if scenario.database != "public" { #expect(!reply.text.contains("Secret"), "\(reply.text)") }
            }
            let after = try await user.ask(
                "records/lookup", #"{"zoneID":{"zoneName":"Drafts"},"records":[{"recordName":"n-1"}]}"#)
            #expect(after.text.contains("Secret"))
        }

        /// Returns the same request with zones that belong to another user.
        private static func owned(_ body: String, by owner: String) -> String {
            body.replacing(#"{"zoneName":"Drafts""#, with: #"{"zoneName":"Drafts","ownerRecordName":"\#(owner)""#)
        }

        @Test(arguments: nastyBodies)
        func nastyBodiesAreRefusedAndNothingBreaks(body: String) async throws {
            let user = try await GatewayClient.user(try SharedStack.current)
            for endpoint in [
                "records/query", "records/modify", "zones/lookup", "subscriptions/modify", "assets/upload",
            ] {
                let reply = try await user.ask(endpoint, body)
                #expect(reply.status < 500, "\(endpoint): \(reply.text)")
                #expect(reply.json["uuid"] != nil || reply.status == 200)
            }
        }

        private static let nastyBodies: [String] = [
            "", " ", "null", "[]", "\"a\"", "1", "{", "}", "{]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{'a':1}", "{}{}",
            "\u{FEFF}{}", "{\"operations\":1}", "{\"operations\":[1]}", "{\"operations\":[null]}", "{\"query\":[]}",
            "{\"records\":{\"records\":{}}}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\\u0000\"}", "{\"a\":1e400}",
            "{\"\\u0000\":1}", "{\"a\":\u{1}}", "{\"zones\":[{\"zoneName\":\"\\u0000\"}]}", "{\"zoneID\":\"x\"}",
            String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 50_000),
            "{\"operations\":" + String(repeating: "[", count: 2_000),
            "{\"query\":{\"recordType\":\"" + (0..<50_000).map(String.init).joined() + "\"}}",
            "{\"operations\":[{\"operationType\":\"create\",\"record\":{\"recordType\":\"\\u202e\"}}]}",
            "{\"tokens\":[{\"fieldName\":\"__proto__\"}]}", "{\"operations\":[{\"operationType\":\"__proto__\"}]}",
        ]

        /// Returns a user with the records that the scenarios need.
        private static func userWithRecords(_ stack: ServiceStack, title: String = "Milk") async throws -> GatewayClient
        {
            let user = try await GatewayClient.user(stack)
            let zone = try await user.ask(
                "zones/modify",
                #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Drafts"}}}]}"#)
            try #require(zone.status == 200, "\(zone.text)")
            let record =
                #"{"recordName":"NAME","recordType":"Note","fields":{"title":{"value":"\#(title)"}}}"#
            let operation = #"{"operationType":"create","record":\#(record)}"#
            for (database, zone, name) in [
                ("private", #""zoneID":{"zoneName":"Drafts"},"#, "n-1"), ("private", "", "n-1"),
                ("public", "", UUID().uuidString), ("public", "", UUID().uuidString),
            ] where database == "private" || title == "Milk" {
                let saved = try await user.ask(
                    "records/modify", in: database,
                    "{\(zone)\"operations\":[\(operation.replacing("NAME", with: name))]}")
                try #require(saved.status == 200 && !saved.text.contains("serverErrorCode"), "\(saved.text)")
            }
            return user
        }
    }
}

extension Trait where Self == SharedStack {
    /// Provides the suite with all services and the gateway, which its tests share.
    static var sharedGateway: SharedStack { SharedStack(services: [.asset, .record, .subscription, .gateway]) }
}
