import CloudKitModel
import Foundation
import GatewayTestSupport
import SignedTokens
import Testing

@testable import Gateway
@testable import GatewayStorage

@Suite struct WebAuthTokenTests {
    private let keys = deploymentKeys(for: .webAuthToken)
    private let token = WebAuthToken(
        session: UUID(), container: "iCloud.org.example.Notes", environment: .production, expiresAt: 1000)

    @Test func itsCharactersAndLengthAreAcceptedByClients() {
        let text = token.text(with: keys)
        #expect(text.utf8.count >= 100)
        #expect(text.wholeMatch(of: /[A-Za-z0-9+\/=_]+/) != nil)
    }

    @Test func itIsReadFromItsText() throws {
        let read = try #require(WebAuthToken(token.text(with: keys), with: keys))
        #expect(read == token)
    }

    @Test func itIsValidInItsEnvironmentUntilItExpires() {
        #expect(token.isValid(container: "iCloud.org.example.Notes", environment: .production, at: 999))
        #expect(!token.isValid(container: "iCloud.org.example.Notes", environment: .production, at: 1000))
        #expect(!token.isValid(container: "iCloud.org.example.notes", environment: .production, at: 999))
        #expect(!token.isValid(container: "iCloud.org.example.Notes", environment: .development, at: 999))
    }

    @Test func aChangeOfAnyDigitIsDetected() {
        let text = Array(token.text(with: keys).utf8)
        for position in text.indices {
            var changed = text
            changed[position] = changed[position] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            #expect(WebAuthToken(String(decoding: changed, as: UTF8.self), with: keys) == nil, "at \(position)")
        }
        #expect(WebAuthToken(String(decoding: text.dropLast(2), as: UTF8.self), with: keys) == nil)
    }

    @Test(arguments: ["", "x", String(repeating: "0", count: 120), String(repeating: "0", count: 1_000_000)])
    func otherTextsAreNoTokens(text: String) {
        #expect(WebAuthToken(text, with: keys) == nil)
    }

    @Test func itStaysValidAfterAKeyRotation() {
        let text = token.text(with: keys)
        #expect(WebAuthToken(text, with: deploymentKeys("k2", "k1", for: .webAuthToken)) == token)
        #expect(WebAuthToken(text, with: deploymentKeys("k2", for: .webAuthToken)) == nil)
        #expect(WebAuthToken(text, with: deploymentKeys(for: .signIn)) == nil)
    }
}
