import CloudKitModel
import ServiceMessages
import SignedTokens
import Testing

/// Receipts, upload tickets and download grants. Their forms must not change, because those that were issued yesterday
/// are still valid today.
struct AssetTokenTests {
    static let scope = AssetScope(
        container: "iCloud.t", environment: .development, scope: .private, owner: "_u")
    static let checksum = AssetChecksum(AssetChecksumTests.hex)!
    static let expiresAt: Int64 = 1_700_000_000_000

    static let receipt = AssetReceipt(blob: 7, checksum: checksum, size: 3, scope: scope, expiresAt: expiresAt)
    static let ticket = AssetUploadTicket(scope: scope, fieldName: "photo", expiresAt: expiresAt)
    static let grant = AssetDownloadGrant(scope: scope, checksum: checksum, expiresAt: expiresAt)

    // Values that another program created.
    static let receiptText =
        "AgEAAAAAAAAAB7p4Fr+PAc/qQUFA3l2uIiOwA2Gjlhd6nLQQ/2HyABWtAAAAAAAAAAMACGlDbG91ZC50AAtkZXZlbG9wbWVudAAHcHJpdmF0"
        + "ZQACX3UAAAGLz+VoAJ+GKnnYcJ6bLuMnK15cW5KQwQ=="
    static let ticketText =
        "AgIACGlDbG91ZC50AAtkZXZlbG9wbWVudAAHcHJpdmF0ZQACX3UABXBob3RvAAABi8_laACfhqU-5TrH9NBJZjiQ1dLTWm0"
    static let grantText =
        "AgMACGlDbG91ZC50AAtkZXZlbG9wbWVudAAHcHJpdmF0ZQACX3W6eBa_jwHP6kFBQN5driIjsANho5YXepy0EP9h8gAVrQAAAYvP5WgAn4apMj58"
        + "H-kcq1Y3dWqHDe4j"

    static func keys(_ purpose: SigningKeys.Purpose) throws -> SigningKeys {
        try SigningKeys(parsing: "test:" + String(repeating: "5a", count: 32), for: purpose)
    }

    @Test func theFormsAreFixed() throws {
        let (receipts, uploads, downloads) = (
            try Self.keys(.assetReceipt), try Self.keys(.assetUpload), try Self.keys(.assetDownload)
        )
        #expect(Self.receipt.sealed(with: receipts) == Self.receiptText)
        #expect(Self.ticket.sealed(with: uploads) == Self.ticketText)
        #expect(Self.grant.sealed(with: downloads) == Self.grantText)
        #expect(AssetReceipt(opening: Self.receiptText, with: receipts) == Self.receipt)
        #expect(AssetUploadTicket(opening: Self.ticketText, with: uploads) == Self.ticket)
        #expect(AssetDownloadGrant(opening: Self.grantText, with: downloads) == Self.grant)
    }

    @Test func theParticipantOfAShareIsPartOfTheReceiptAndOfTheAddress() throws {
        let (receipts, uploads) = (try Self.keys(.assetReceipt), try Self.keys(.assetUpload))
        var (receipt, ticket) = (Self.receipt, Self.ticket)
        let participant = AssetScope.Participant(user: "_v", zone: ZoneName(unchecked: "Z"))
        receipt.scope.participant = participant
        ticket.scope.participant = participant
        ticket.content = AssetUploadTicket.Content(checksum: Self.checksum, size: 3)
        let opened = AssetReceipt(opening: receipt.sealed(with: receipts), with: receipts)
        #expect(opened == receipt && opened?.scope.scope == .private && opened != Self.receipt)
        #expect(AssetUploadTicket(opening: ticket.sealed(with: uploads), with: uploads) == ticket)
    }

    @Test func onlyTheUserOfAnotherDatabaseIsAParticipant() {
        func address(_ scope: DatabaseScope, _ owner: String) -> ZoneAddress {
            ZoneAddress(
                container: "c", environment: .development, scope: scope, owner: owner, zone: ZoneName(unchecked: "Z"))
        }
        let participant = AssetScope(address(.private, "_u"), savedBy: "_v").participant
        #expect(participant == AssetScope.Participant(user: "_v", zone: ZoneName(unchecked: "Z")))
        #expect(AssetScope(address(.private, "_u"), savedBy: "_u").participant == nil)
        #expect(AssetScope(address(.public, ZoneAddress.publicOwner), savedBy: "_v").participant == nil)
    }

    @Test func everyChangedCharacterIsAForgery() throws {
        let keys = try Self.keys(.assetReceipt)
        // The last character before the padding has unused bits.
        for index in Self.receiptText.indices.dropLast(3) {
            var forged = Self.receiptText
            forged.replaceSubrange(index...index, with: forged[index] == "A" ? "B" : "A")
            #expect(AssetReceipt(opening: forged, with: keys) == nil)
        }
        #expect(AssetReceipt(opening: "", with: keys) == nil)
    }

    @Test func aTokenOfOnePurposeIsInvalidForAnother() throws {
        #expect(AssetReceipt(opening: Self.receiptText, with: try Self.keys(.assetDownload)) == nil)
        // The tokens are not interchangeable, even with the same keys.
        let keys = try Self.keys(.assetUpload)
        #expect(AssetUploadTicket(opening: Self.grant.sealed(with: keys), with: keys) == nil)
        #expect(AssetDownloadGrant(opening: Self.ticket.sealed(with: keys), with: keys) == nil)
    }

    @Test func addressesHaveThePlaceForAFileName() {
        #expect(AssetURL.upload(base: "http://h", ticket: "T") == "http://h/upload/T")
        #expect(AssetURL.download(base: "http://h", grant: "G") == "http://h/download/G/${f}")
    }
}
