import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The page of a link, for those for whom the link is not.
    @Suite(.sharedGateway, .timeLimit(.minutes(2))) struct HiddenLinkPageTests {
        @Test func thePageOfALinkThatIsNotForTheUserIsThatOfAnUnknownLink() async throws {
            let stack = try SharedStack.current
            let owner = stack.client()
            try await owner.zones("create", "Lists")
            let title: [JSONValue.Member] = [.init("fields", ["cloudkit.title": ["value": "Trip to Lund"]])]
            let saved = try await owner.modify(
                "Lists", .note("create", "list"), .share("create", "S", of: "list", title), .note("create", "box"),
                .share("create", "B", of: "box", permission: "READ_ONLY", title))
            let hidden = try #require(saved["records"]?[1]?["shortGUID"]?.string, "\(saved.body)")
            let ended = try #require(saved["records"]?[3]?["shortGUID"]?.string, "\(saved.body)")
            try await owner.delete("Lists", "B")
            let token = try await owner.changes("Lists").syncToken
            let (email, password) = ("\(UUID().uuidString.lowercased())@example.org", "correct horse battery")
            let account = try await stack.operator.ask(
                .usersCreate, ["email": .string(email), "password": .string(password)])
            try #require(account.status == 200, "\(account)")

            var pages: [[String]] = []
            for link in [hidden, ended, String(repeating: "n", count: hidden.utf8.count)] {
                var form = try await SignInForm(stack.gatewayURL + "/share/\(link)")
                let anonymous = Self.normalized(form.page, link)
                (form.fields["email"], form.fields["password"]) = (email, password)
                form.fields["action"] = "signin"
                let signedIn = try await form.submit("/share/\(link)", to: stack)
                pages.append([anonymous, Self.normalized(signedIn, link)])
                #expect(!anonymous.contains("Lund") && !signedIn.text.contains("Lund"))
            }
            #expect(pages[0] == pages[2])
            #expect(pages[1] == pages[2])
            #expect(try await owner.changes("Lists", since: token).recordNames == [])
        }

        /// The status and the text of a page, without the link and what is random.
        private static func normalized(_ page: AssetClient.Response, _ link: String) -> String {
            let text = page.text.replacing(link, with: "LINK").replacing(/nonce="[^"]*"/, with: "NONCE")
            return "\(page.status) " + text.replacing(/name="proof" value="[^"]*"/, with: "PROOF")
        }
    }
}
