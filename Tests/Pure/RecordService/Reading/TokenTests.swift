import ServiceMessages
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

struct TokenTests {
    static let keys = "k1:" + String(repeating: "11", count: 32)
    static let otherKeys = "k2:" + String(repeating: "22", count: 32)

    static func signing(_ text: String) throws -> SigningKeys { try SigningKeys(parsing: text, for: .syncToken) }

    static let zone = ZoneChangeToken(store: .max, address: 7, zone: 42, position: 9, horizon: 12)

    @Test(arguments: [nil, ZoneChangeToken.Descent(ceiling: 11, next: 10)])
    func aZoneTokenComesBackAsItWent(descent: ZoneChangeToken.Descent?) throws {
        let keys = try Self.signing(Self.keys)
        var token = Self.zone
        token.descent = descent
        #expect(ZoneChangeToken(opening: token.sealed(with: keys), with: keys) == token)
    }

    @Test(arguments: [
        DatabaseChangeToken(store: 1, address: 9, database: 2, since: nil, page: nil),
        DatabaseChangeToken(store: 1, address: 9, database: 2, since: "10:20:11,12", page: nil),
        DatabaseChangeToken(
            store: 1, address: 9, database: 2, since: nil, page: .init(snapshot: "10:20:", afterXID: 15, afterZone: 3)),
        DatabaseChangeToken(
            store: 1, address: 9, database: 2, since: "1:2:",
            page: .init(snapshot: "10:20:", afterXID: 15, afterZone: 3)),
    ])
    func aDatabaseTokenComesBackAsItWent(token: DatabaseChangeToken) throws {
        let keys = try Self.signing(Self.keys)
        #expect(DatabaseChangeToken(opening: token.sealed(with: keys), with: keys) == token)
    }

    @Test func everyChangedCharacterIsAForgery() throws {
        let keys = try Self.signing(Self.keys)
        let sealed = Array(Self.zone.sealed(with: keys))
        for index in sealed.indices {
            var forged = sealed
            forged[index] = forged[index] == "A" ? "B" : "A"
            #expect(ZoneChangeToken(opening: String(forged), with: keys) == nil)
        }
    }

    @Test func tokensOfOneKindAreNotTokensOfAnother() throws {
        let keys = try Self.signing(Self.keys)
        #expect(DatabaseChangeToken(opening: Self.zone.sealed(with: keys), with: keys) == nil)
    }

    @Test func aRotatedKeyStillVerifiesAndARemovedOneDoesNot() throws {
        let sealed = Self.zone.sealed(with: try Self.signing(Self.keys))
        #expect(ZoneChangeToken(opening: sealed, with: try Self.signing(Self.otherKeys + "\n" + Self.keys)) != nil)
        #expect(ZoneChangeToken(opening: sealed, with: try Self.signing(Self.otherKeys)) == nil)
    }

    @Test(arguments: ["", "k1", "k1:abcd", ":" + String(repeating: "11", count: 32), "k1:zz"])
    func aKeyFileOfAnotherFormIsRefused(text: String) {
        #expect(throws: SigningKeys.FileError.self) { _ = try Self.signing(text) }
    }
}
