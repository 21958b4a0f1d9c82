import CloudKitModel
import ServiceMessages
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

/// The asset values that a save may contain (web-services 7.3).
struct AssetAdmissionTests {
    static let scope = AssetScope(container: "c", environment: .development, scope: .private, owner: "_u")
    static let checksum = AssetChecksum(String(repeating: "ab", count: 32))!
    static let now: Int64 = 1000

    static func receipt(
        scope: AssetScope = scope, size: Int64 = 5, blob: Int64 = 7, expiresAt: Int64 = now + 1
    ) -> AssetReceipt {
        AssetReceipt(blob: blob, checksum: checksum, size: size, scope: scope, expiresAt: expiresAt)
    }

    static let given = Asset(
        fileChecksum: checksum.fileChecksum, size: 5, receipt: "r", referenceChecksum: "x", wrappingKey: "y",
        downloadURL: "z", blob: 99)

    static let stored = Asset(
        fileChecksum: checksum.fileChecksum, size: 5, referenceChecksum: checksum.referenceChecksum,
        wrappingKey: checksum.wrappingKey, blob: 7)

    /// Admits `value`. The receipt "r" is decoded as `receipt`.
    static func admit(
        _ value: FieldValue, receipt: AssetReceipt? = receipt(), present: FieldValue? = nil, missing: Set<Int64> = []
    ) throws(ServerError) -> FieldValue {
        try AssetAdmission(missing: missing) { $0 == "r" ? receipt : nil }
            .admit(value, of: "photo", present: { present }, in: scope, at: now)
    }

    @Test func whatIsStoredComesFromTheReceipt() throws {
        #expect(try Self.admit(.asset(Self.given)) == .asset(Self.stored))
        #expect(
            try Self.admit(.list(.asset, [.asset(Self.given), .asset(Self.given)]))
                == .list(.asset, [.asset(Self.stored), .asset(Self.stored)]))
        #expect(try Self.admit(.list([], of: .asset)) == .list([], of: .asset))
    }

    private static func shared(_ user: String?, _ zone: String = "Z", owner: String = "_u") -> AssetScope {
        AssetScope(
            container: "c", environment: .development, scope: .private, owner: owner,
            participant: user.map { AssetScope.Participant(user: $0, zone: ZoneName(unchecked: zone)) })
    }

    @Test func aParticipantsReceiptIsGoodForTheParticipantInThatZoneOnly() throws {
        func admit(_ receipt: AssetScope, by saver: AssetScope) throws -> FieldValue {
            let receipt = Self.receipt(scope: receipt)
            return try AssetAdmission { _ in receipt }
                .admit(.asset(Self.given), of: "photo", present: { nil }, in: saver, at: Self.now)
        }
        let scopes = [
            Self.shared(nil), Self.shared("_v"), Self.shared("_w"), Self.shared("_v", "Y"),
            Self.shared("_v", owner: "_x"), Self.shared(nil, owner: "_v"),
        ]
        for receipt in scopes {
            for saver in scopes {
                if receipt == saver {
                    #expect(try admit(receipt, by: saver) == .asset(Self.stored))
                } else {
                    let error = #expect(throws: ServerError.self) { try admit(receipt, by: saver) }
                    #expect(error?.reasonCode == "asset_receipt_foreign" && error?.ckErrorCode == 12)
                }
            }
        }
    }

    static func changed(_ change: (inout Asset) -> Void) -> Asset {
        var asset = given
        change(&asset)
        return asset
    }

    static let otherScopes = [
        AssetScope(container: "d", environment: .development, scope: .private, owner: "_u"),
        AssetScope(container: "c", environment: .production, scope: .private, owner: "_u"),
        AssetScope(container: "c", environment: .development, scope: .public, owner: "_public"),
        AssetScope(container: "c", environment: .development, scope: .private, owner: "_v"),
    ]

    static let refused: [(Asset, AssetReceipt?, String)] =
        [
            (changed { $0.receipt = nil }, receipt(), "asset_receipt_missing"),
            (changed { $0.receipt = "forged" }, receipt(), "asset_receipt_invalid"),
            (given, receipt(expiresAt: now), "asset_receipt_expired"),
            (given, receipt(size: 6), "asset_receipt_mismatch"),
            (changed { $0.fileChecksum = "other" }, receipt(), "asset_receipt_mismatch"),
            (changed { $0.fileChecksum = nil }, receipt(), "asset_receipt_mismatch"),
            (changed { $0.size = nil }, receipt(), "asset_receipt_mismatch"),
            (given, receipt(blob: 13), "asset_bytes_missing"),
        ] + otherScopes.map { (given, receipt(scope: $0), "asset_receipt_foreign") }

    @Test(arguments: refused)
    func aRefusalNamesTheFieldAndTheElement(asset: Asset, receipt: AssetReceipt?, code: String) throws {
        let single = #expect(throws: ServerError.self) {
            try Self.admit(.asset(asset), receipt: receipt, missing: [13])
        }
        #expect(single?.reasonCode == code)
        #expect(single?.code == .badRequest)
        #expect(single?.field == "photo")
        let kept = Asset(fileChecksum: "kept", blob: 1)
        let element = #expect(throws: ServerError.self) {
            try Self.admit(
                .list(.asset, [.asset(Asset(fileChecksum: "kept")), .asset(asset)]), receipt: receipt,
                present: .list(.asset, [.asset(kept)]), missing: [13])
        }
        #expect(element?.reasonCode == code)
        #expect(element?.field == "photo")
        #expect(element?.reason.contains("photo[1]") == true)
    }

    @Test func withoutAReceiptWhatTheFieldHasStays() throws {
        let asset = FieldValue.asset(Asset(fileChecksum: Self.checksum.fileChecksum, size: 1, blob: 99))
        let other = FieldValue.asset(Asset(fileChecksum: "other", blob: 8))
        let present = FieldValue.asset(Self.stored)
        #expect(try Self.admit(asset, present: present) == present)
        // Any elements of a list are accepted, in any order and any number of times.
        #expect(
            try Self.admit(.list(.asset, [asset, asset]), present: .list(.asset, [other, present]))
                == .list(.asset, [present, present]))
        for present in [other, nil] {
            let error = #expect(throws: ServerError.self) { try Self.admit(asset, present: present) }
            #expect(error?.reasonCode == "asset_receipt_missing")
        }
        // An absent checksum does not match an absent stored value.
        let nameless = #expect(throws: ServerError.self) {
            try Self.admit(.asset(Asset()), present: .asset(Asset(blob: 8)))
        }
        #expect(nameless?.reasonCode == "asset_receipt_missing")
    }

    @Test func aListOfAssetsHasALimit() {
        let error = #expect(throws: ServerError.self) {
            try Self.admit(.list(.asset, Array(repeating: .asset(Self.given), count: 1001)))
        }
        #expect(error?.limit == 1000)
        #expect(error?.actual == 1001)
        #expect(error?.field == "photo")
    }
}
