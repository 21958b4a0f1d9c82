import CloudKitModel
import Crypto
import Foundation
import SignedTokens
import Testing

@testable import Gateway
@testable import GatewayStorage

@Suite struct OperatorValuesTests {
    @Test(arguments: [
        ("https://Example.org", "https://example.org"), ("https://example.org:443/", "https://example.org"),
        ("http://localhost:3000", "http://localhost:3000"), ("http://localhost:80", "http://localhost"),
        ("capacitor://localhost", "capacitor://localhost"), ("https://[::1]:8443", "https://[::1]:8443"),
    ])
    func originsAreNormalizedAsBrowsersDo(written: String, text: String) throws {
        #expect(try WebOrigin(validating: written).text == text)
    }

    @Test(arguments: [
        "", "null", "*", "example.org", "https://", "https://example.org/app", "https://example.org?a", "https://a b",
        "https://u@example.org", "https://example.org#a", "https://exämple.org", "//example.org",
    ])
    func otherOriginsAreRefused(written: String) {
        #expect(throws: ServerError.self) { try WebOrigin(validating: written) }
    }

    @Test(arguments: [
        "https://example.org/signed-in?x=1", "http://127.0.0.1:3000/", "cloudkit-icloud.org.example.notes://signed-in",
    ])
    func validCallbacksAreAccepted(url: String) throws {
        #expect(try SignInCallback(validating: url).text == url)
    }

    @Test(arguments: [
        "", "example.org", "/signed-in", "https://", "https://example.org/#a", "javascript:alert(1)",
        "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://example.org/a b",
    ])
    func otherCallbacksAreRefused(url: String) {
        #expect(throws: ServerError.self) { try SignInCallback(validating: url) }
    }

    @Test(arguments: [
        ("ada@example.org", "ada@example.org"), ("  Ada@Example.ORG\n", "ada@example.org"),
        ("J\u{F6}RG@example.org", "jo\u{308}rg@example.org".precomposed), ("a+b@x", "a+b@x"),
    ])
    func addressesAreComparedWithoutCase(written: String, key: String) {
        #expect(EmailAddress(written)?.key.utf8.elementsEqual(key.utf8) == true)
    }

    @Test(arguments: [
        "", "ada", "@example.org", "ada@", "a@b@c", "a b@c", "a\u{0}@b", "a\nb@c",
        String(repeating: "a", count: 253) + "@b",
    ])
    func otherAddressesAreRefused(written: String) {
        #expect(EmailAddress(written) == nil)
    }

    @Test func theIDOfAKeyIsTheDigestOfItsDER() throws {
        let key = P256.Signing.PrivateKey().publicKey
        let der = try ServerKeyOperations.der(ofPEM: key.pemRepresentation)
        #expect(der == Array(key.derRepresentation))
        let id = Hexadecimal.encode(SHA256.hash(data: der))
        let name = ServerKeyOperations.userName(ofKey: id, in: "a")
        #expect(throws: Never.self) { try UserName(validating: name) }
        #expect(name == ServerKeyOperations.userName(ofKey: id, in: "a"))
        #expect(name != ServerKeyOperations.userName(ofKey: id, in: "b"))
    }

    @Test(arguments: [
        "", "x", P384.Signing.PrivateKey().publicKey.pemRepresentation, P256.Signing.PrivateKey().pemRepresentation,
        Curve25519.Signing.PrivateKey().publicKey.rawRepresentation.base64EncodedString(),
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
    ])
    func otherKeysAreRefusedWithoutTheirText(pem: String) {
        let error = #expect(throws: ServerError.self) { try ServerKeyOperations.der(ofPEM: pem) }
        #expect(error?.reasonCode == "public_key_invalid")
        #expect(pem.isEmpty || pem == "x" || error?.reason.contains(pem) == false)
    }

    @Test func onlyTheCorrectPasswordIsVerified() throws {
        let usual = try PasswordHash.make("correct horse")
        #expect(usual.wholeMatch(of: /scrypt\$32768\$8\$3\$[A-Za-z0-9+\/=]{24}\$[A-Za-z0-9+\/=]{44}/) != nil)
        let hash = try PasswordHash.make("correct horse", cost: 10)
        #expect(PasswordHash.verifies("correct horse", hash))
        #expect(!PasswordHash.verifies("correct horsf", hash))
        #expect(!PasswordHash.verifies("", hash))
        #expect(try PasswordHash.make("correct horse", cost: 10) != hash)
        for other in ["", "scrypt", "scrypt$1$8$1$AAAA$AAAA", "scrypt$1073741824$8$1$AAAA$" + hash.suffix(44)] {
            #expect(!PasswordHash.verifies("correct horse", other))
        }
    }

    @Test func aPasswordIsVerifiedInEachUnicodeForm() throws {
        let hash = try PasswordHash.make("p\u{E4}ssword", cost: 10)
        #expect(PasswordHash.verifies("pa\u{308}ssword", hash))
    }

    /// The test vector of RFC 7914, section 12, for N = 16384.
    @Test func theDerivationIsScrypt() {
        let hash =
            "scrypt$16384$8$1$U29kaXVtQ2hsb3JpZGU=$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI="
        #expect(PasswordHash.verifies("pleaseletmein", hash))
    }
}

extension String {
    fileprivate var precomposed: String { precomposedStringWithCanonicalMapping }
}
