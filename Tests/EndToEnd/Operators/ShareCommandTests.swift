import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Sharing by the commands of operators, and by the page of a link.
    @Suite(.sharedGateway, .timeLimit(.minutes(3))) struct ShareCommandTests {
        private let stack: ServiceStack
        private let owner: TestClient
        private let friend: TestClient

        init() async throws {
            stack = try SharedStack.current
            (owner, friend) = (stack.client(), stack.client())
        }

        private func text(_ client: TestClient, _ arguments: String...) async throws -> String {
            try await stack.output(of: arguments, as: client)
        }

        private func json(_ client: TestClient, _ arguments: String...) async throws -> JSONValue {
            try JSONValue(parsing: try await stack.output(of: arguments + ["--json"], as: client))
        }

        private func explain(_ record: String) async throws -> JSONValue {
            try await json(friend, "share", "explain", "--zone", "Notes", "--owner", owner.user, record)
        }

        private func link(_ options: String...) async throws -> String {
            let arguments = ["share", "link", "--zone", "Notes", "list"] + options
            return try await stack.output(of: arguments, as: owner).trimmingCharacters(in: .newlines)
        }

        @Test func aShareIsMadeAcceptedExplainedAndEnded() async throws {
            try await owner.zones("create", "Notes")
            _ = try await text(owner, "record", "save", "--zone", "Notes", "--type", "List", "list", "title=Groceries")
            let item: JSONValue = ["recordName": "milk", "recordType": "Item", "parent": ["recordName": "list"]]
            let saved = try await owner.modify("Notes", ["operationType": "create", "record": item])
            #expect(saved.status == 200, "\(saved.body)")

            #expect(try await explain("milk")["missing"] == "share")
            let made = try await json(
                owner, "share", "create", "--zone", "Notes", "list", "--title", "Groceries", "--invite",
                "ada@example.org")
            #expect(made["participants"]?.array?.count == 2, "\(made)")
            #expect(try await explain("milk")["missing"] == "participant")
            #expect(try await text(owner, "share", "list").contains("Groceries  public NONE  2 participants"))

            let invited = try await text(owner, "share", "invite", "--zone", "Notes", "list", friend.user)
            #expect(invited.contains(friend.user) && invited.contains("ada@example.org"))
            #expect(try await explain("milk")["missing"] == "acceptance")
            let old = try await link()
            #expect(try await text(friend, "share", "accept", "--show", old).hasPrefix("INVITED  READ_ONLY  Groceries"))
            #expect(try await text(friend, "share", "accept", old).hasPrefix("ACCEPTED"))
            let why = try await text(friend, "share", "explain", "--zone", "Notes", "--owner", owner.user, "milk")
            #expect(why.contains("right        READ_ONLY"), "\(why)")
            let shared = ["--database", "shared", "--zone", "Notes", "--owner", owner.user]
            #expect(
                try await stack.output(of: ["record", "get", "milk"] + shared, as: friend).hasPrefix("milk  Item"))
            #expect(
                try await stack.output(of: ["record", "changes", "--all"] + shared, as: friend).contains("milk  Item"))
            #expect(try await text(friend, "share", "list", "--database", "shared").contains("Groceries"))

            let new = try await link("--rotate")
            #expect(new != old && new.utf8.count == 24)
            let refused = try stack.zonda(["share", "accept", old], as: friend)
            #expect(try await refused.exit(within: .seconds(30)) == .code(1))
            #expect(try await explain("milk")["right"] == "READ_ONLY")

            _ = try await text(owner, "share", "remove", "--zone", "Notes", "list", friend.user)
            #expect(try await explain("milk")["missing"] == "removed")
            #expect(try await text(owner, "share", "stop", "--zone", "Notes", "list").hasSuffix("stopped\n"))
            #expect(try await explain("milk")["missing"] == "share")
        }

        @Test func anAdministratorAnswersARequestAndAOneTimeLinkIsUsed() async throws {
            let (admin, guest) = (stack.client(), stack.client())
            try await owner.zones("create", "Notes")
            _ = try await text(owner, "record", "save", "--zone", "Notes", "--type", "List", "list", "title=Groceries")
            _ = try await text(owner, "share", "create", "--zone", "Notes", "list")
            _ = try await text(
                owner, "share", "invite", "--zone", "Notes", "list", admin.user, "--administrator", "--permission",
                "read-write")
            let link = try await link()
            _ = try await text(admin, "share", "accept", link)

            let unknown = try stack.zonda(["share", "request", link], as: friend)
            #expect(try await unknown.exit(within: .seconds(30)) == .code(1))
            let managed = ["--zone", "Notes", "--owner", owner.user, "list"]
            _ = try await stack.output(of: ["share", "requests", "allow"] + managed, as: admin)
            #expect(try await text(friend, "share", "request", link) == "requested\n")
            let listed = try await stack.output(of: ["share", "requests", "list"] + managed, as: admin)
            #expect(listed == "\(friend.user)  requested\n")
            _ = try await stack.output(
                of: ["share", "requests", "approve"] + managed + [friend.user, "--permission", "read-write"], as: admin)
            #expect(try await text(friend, "share", "accept", link).hasPrefix("ACCEPTED  READ_WRITE"))

            let oneTime = try await stack.output(of: ["share", "link"] + managed + ["--one-time"], as: admin)
                .trimmingCharacters(in: .newlines)
            #expect(oneTime.utf8.count == 24 && oneTime != link)
            #expect(try await text(guest, "share", "accept", oneTime).hasPrefix("ACCEPTED  READ_ONLY"))
            let refused = try stack.zonda(["share", "accept", oneTime], as: stack.client())
            #expect(try await refused.exit(within: .seconds(30)) == .code(1))

            _ = try await stack.output(of: ["share", "requests", "block"] + managed + [friend.user], as: admin)
            #expect(try await text(owner, "share", "requests", "list", "--zone", "Notes", "list").contains("blocked"))
            let blocked = try stack.zonda(["share", "accept", "--show", link], as: friend)
            #expect(try await blocked.exit(within: .seconds(30)) == .code(1))
        }

        @Test func theInvitedAcceptsOnThePageOfTheLink() async throws {
            let (email, password) = ("\(UUID().uuidString.lowercased())@example.org", "correct horse battery")
            let account = try await stack.operator.ask(
                .usersCreate, ["email": .string(email), "password": .string(password)])
            #expect(account.status == 200, "\(account)")
            try await owner.zones("create", "Notes")
            _ = try await text(owner, "record", "save", "--zone", "Notes", "--type", "List", "list", "title=Groceries")
            _ = try await text(
                owner, "share", "create", "--zone", "Notes", "list", "--title", "Trip to Lund", "--invite", email)
            let path = "/share/" + (try await link())
            var form = try await SignInForm(stack.gatewayURL + path)
            #expect(form.page.status == 200 && !form.page.text.contains("Trip to Lund"))
            (form.fields["email"], form.fields["password"]) = (email, password)
            form.fields["action"] = "signin"
            let shown = try await form.submit(path, to: stack)
            #expect(shown.status == 200 && shown.text.contains("Trip to Lund"), "\(shown.text)")
            let participants = try await json(owner, "share", "show", "--zone", "Notes", "list")["participants"]
            #expect(participants?[1]?["acceptanceStatus"] == "INVITED")

            // The cookie of the sign-in is the last of the answer; that of the form stays the same.
            let cookies = [form.page.headers["set-cookie"], shown.headers["set-cookie"]].compactMap(\.self)
                .flatMap { $0.split(separator: ",") }
                .map { $0.trimmingPrefix(" ").prefix { $0 != ";" } }.joined(separator: "; ")
            let proof = try #require(shown.text.firstMatch(of: /name="proof" value="([^"]*)"/)?.1)
            let accepted = try await AssetClient.upload(
                Array("action=accept&proof=\(SignInForm.encoded(String(proof)))".utf8), to: stack.gatewayURL + path,
                contentType: "application/x-www-form-urlencoded", headers: ["cookie": cookies])
            #expect(accepted.status == 200 && accepted.text.contains("You have access"), "\(accepted.text)")
            let after = try await json(owner, "share", "show", "--zone", "Notes", "list")["participants"]
            #expect(after?[1]?["acceptanceStatus"] == "ACCEPTED")
        }
    }
}
