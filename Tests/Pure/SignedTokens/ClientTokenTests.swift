import SignedTokens
import Testing

/// `apnsToken`. Its signature alone makes it valid, and it cannot be guessed.
struct ClientTokenTests {
    private func keys(_ ids: String..., digit: String = "1") throws -> SigningKeys {
        try SigningKeys(
            parsing: ids.map { "\($0):\(String(repeating: digit, count: 64))" }.joined(separator: "\n"),
            for: .clientToken)
    }

    @Test(arguments: ClientToken.Environment.allCases)
    func aTokenComesBackAsItWent(environment: ClientToken.Environment) throws {
        let keys = try keys("k1")
        let token = ClientToken(environment, with: keys)
        #expect(token.text.utf8.count == 44)
        #expect(ClientToken(token.text, with: keys) == token)
        #expect(ClientToken(url: token.urlText, with: keys) == token)
        #expect(ClientToken(url: token.urlText, with: keys)?.environment == environment)
        #expect(ClientToken(environment, with: keys) != token)
    }

    @Test func itsNameTellsNothingOfIt() throws {
        let token = ClientToken(.development, with: try keys("k1"))
        #expect(token.name.utf8.count == 32)
        #expect(!"\(token) \(String(reflecting: token))".contains(token.text))
        #expect(!"\(token) \(String(reflecting: token))".contains(token.urlText))
    }

    @Test(arguments: [
        "", "AAAA", String(repeating: "A", count: 43) + "=", String(repeating: "A", count: 10_000), "not base64",
    ])
    func whatIsNoTokenIsRefused(text: String) throws {
        let keys = try keys("k1")
        #expect(ClientToken(text, with: keys) == nil)
        #expect(ClientToken(url: text, with: keys) == nil)
    }

    @Test func everyChangedCharacterIsAForgery() throws {
        let keys = try keys("k1")
        let text = Array(ClientToken(.production, with: keys).text)
        // The last character before the padding has bits that base64 ignores.
        for index in text.indices.dropLast(2) {
            var forged = text
            forged[index] = forged[index] == "A" ? "B" : "A"
            #expect(ClientToken(String(forged), with: keys) == nil)
        }
    }

    @Test func aRotatedKeyStillVerifiesAndARemovedOneDoesNot() throws {
        let token = ClientToken(.development, with: try keys("k1"))
        #expect(ClientToken(token.text, with: try keys("k2", "k1")) == token)
        #expect(ClientToken(token.text, with: try keys("k2")) == nil)
        #expect(ClientToken(token.text, with: try keys("k1", digit: "2")) == nil)
    }

    @Test func aSeedMakesTheTokenAgainWhileItsKeyIsThere() throws {
        let token = ClientToken(.development, with: try keys("k1"))
        let again = ClientToken(.development, seed: token.seed, name: token.name, with: try keys("k2", "k1"))
        #expect(again == token)
        #expect(ClientToken(.development, seed: token.seed, name: token.name, with: try keys("k2")) == nil)
    }
}
