import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Signing in as with a browser, from the 421 to the token, and the data about users that the gateway returns.
    @Suite(.sharedGateway, .timeLimit(.minutes(10))) struct SignInTests {
        private static let origin = "https://app.example.org"
        private static let password = "correct horse battery"

        @Test func aSignedInUserHasATokenUntilSigningOutEverywhere() async throws {
            let stack = try SharedStack.current
            let world = try await GatewayClient.world(stack, origins: [Self.origin])
            let email = try await Self.account(stack)

            let refused = try await world.ask("users/caller", in: "public", method: "GET")
            #expect(refused.status == 421)
            let url = try #require(refused.json["redirectURL"]?.string)
            #expect(url.hasPrefix(stack.gatewayURL + "/signin?t="))

            var form = try await SignInForm(url)
            #expect(form.page.status == 200)
            #expect(form.page.headers["access-control-allow-origin"] == nil)
            (form.fields["email"], form.fields["password"]) = (email, "wrong")
            #expect(try await form.submit("/signin", to: stack).status == 422)
            form.fields["password"] = Self.password
            #expect(try await form.submit("/signin", to: stack, withCookie: false).status == 403)

            let delivered = try await form.submit("/signin", to: stack)
            #expect(delivered.status == 200)
            #expect(delivered.text.contains(#"["\#(Self.origin)"]"#))
            let token = try #require(delivered.text.firstMatch(of: /"ckWebAuthToken":"([A-Za-z0-9+\/=_]{100,})"/)?.1)
            guard case .token(let apiToken) = world.credentials else { return }
            let user = GatewayClient(
                stack: stack, credentials: .user(apiToken, webAuthToken: SignInForm.encoded(String(token))))
            let caller = try await user.ask("users/caller", in: "public", method: "GET")
            #expect(caller.status == 200, "\(caller.text)")
            #expect(caller.json["lookupInfo"]?["emailAddress"]?.string == email)
            #expect(caller.json["users"]?[0]?["userRecordName"] == caller.json["userRecordName"])

            var out = try await SignInForm(stack.gatewayURL + "/signin/out")
            (out.fields["email"], out.fields["password"]) = (email.uppercased(), Self.password)
            let signedOut = try await out.submit("/signin/out", to: stack)
            #expect(signedOut.status == 200)
            #expect(signedOut.text.contains("1 session has ended."))
            // The gateway remembers the sign-in for some seconds. Nothing signals the end of this time.
            while try await user.ask("users/caller", in: "public", method: "GET").status == 200 {
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(try await user.ask("users/caller", in: "public", method: "GET").status == 421)
        }

        @Test func usersThatAgreedAreFoundByUsersOfTheSameContainer() async throws {
            let stack = try SharedStack.current
            let asker = try await GatewayClient.user(stack)
            let (open, hidden) = (
                try await Self.account(stack, isDiscoverable: true), try await Self.account(stack)
            )
            let body = #"{"lookupInfos":[{"emailAddress":"\#(open)"},{"emailAddress":"\#(hidden)"}]}"#
            // Users are not found in a container in which they have never signed in.
            let before = try await asker.ask("users/discover", in: "public", body)
            #expect(before.json["users"] == [])
            for email in [open, hidden] {
                let made = try await stack.operator.ask(
                    .usersToken,
                    ["email": .string(email), "container": .string(stack.container), "environment": "development"])
                #expect(made.status == 200, "\(made)")
            }
            let found = try await asker.ask("users/discover", in: "public", body)
            #expect(found.json["users"]?.array?.count == 1, "\(found.text)")
            let name = try #require(found.json["users"]?[0]?["userRecordName"]?.string)
            #expect(found.json["users"]?[0]?["nameComponents"]?["givenName"] == "Ben")
            #expect(!found.text.contains(hidden))
            for (endpoint, body) in [
                ("users/lookup/email", #"{"users":[{"emailAddress":"\#(open.uppercased())"}]}"#),
                ("users/lookup/id", #"{"users":[{"userRecordName":"\#(name)"}]}"#),
            ] {
                let reply = try await asker.ask(endpoint, in: "public", body)
                #expect(reply.json["users"]?[0]?["userRecordName"]?.string == name, "\(reply.text)")
                #expect(reply.json["users"]?[0]?["firstName"] == "Ben")
            }
        }

        @Test func theDocumentIsServed() async throws {
            let stack = try SharedStack.current
            let document = try await AssetClient.get(stack.gatewayURL + "/openapi.yaml")
            #expect(document.status == 200)
            #expect(document.text.hasPrefix("openapi: 3.1.0"))
            let page = try await AssetClient.get(stack.gatewayURL + "/docs")
            #expect(page.headers["content-type"] == "text/html; charset=UTF-8")
            #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
        }

        /// Creates an account and returns its email address.
        private static func account(_ stack: ServiceStack, isDiscoverable: Bool = false) async throws -> String {
            let email = "\(UUID().uuidString.lowercased())@example.org"
            let made = try await stack.operator.ask(
                .usersCreate,
                [
                    "email": .string(email), "password": .string(password), "givenName": "Ben",
                    "discoverable": .bool(isDiscoverable),
                ])
            try #require(made.status == 200, "\(made)")
            return email
        }
    }
}
