import CloudKitWire
import ServiceMessages
import SignedTokens
import TestSupport
import Testing

extension EndToEndTests {
    /// Wrong, foreign, forged and expired receipts and addresses are refused with the name of the field.
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct AssetRefusalTests {
        enum Wrong: String, CaseIterable, CustomTestStringConvertible {
            case missing, forged, ofAnotherUser, ofAnotherContent, withAnotherSize
            var testDescription: String { rawValue }
        }

        @Test(arguments: Wrong.allCases) func receiptThatProvesNothingIsRefused(_ wrong: Wrong) async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes")
            let asset = try await client.upload(randomBytes(100))
            let receipt = try #require(asset["receipt"]?.string)
            var spoilt = asset
            switch wrong {
            case .missing: spoilt = asset.replacing("receipt", with: nil)
            case .forged: spoilt = asset.replacing("receipt", with: .string(String(receipt.reversed())))
            case .ofAnotherUser: spoilt = try await stack.client().upload(randomBytes(100))
            case .ofAnotherContent:
                let other = try await client.upload(randomBytes(100))
                spoilt = asset.replacing("receipt", with: other["receipt"])
            case .withAnotherSize: spoilt = asset.replacing("size", with: 99)
            }
            let reply = try await client.modify(
                "Notes", .operation("create", "bad", ["photo": spoilt]), .operation("create", "good", ["photo": asset]))
            let bad = try #require(reply["records"]?[0])
            #expect(bad.errorCode == "BAD_REQUEST")
            #expect(bad["field"] == "photo")
            #expect(bad.reasonCode?.hasPrefix("asset_receipt") == true)
            // The other record of the request is saved.
            #expect(reply["records"]?[1]?.errorCode == nil)
            #expect(try await client.record("Notes", "bad").errorCode == "NOT_FOUND")
        }

        @Test func unsignedAddressesAreRefused() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let upload = try await client.uploadURL()
            let forged = try await AssetClient.upload([1, 2, 3], to: String(upload.dropLast(4)) + "AAAA")
            #expect(forged.status >= 400 && forged.status < 500)
            #expect(forged.json["singleFile"] == nil)
            #expect(forged.json["field"] == "url")
            try await client.save("Notes", "a", ["file": try await client.upload(randomBytes(10))])
            let parts = try await client.downloadURL("Notes", "a").split(
                separator: "/", omittingEmptySubsequences: false)
            var spoilt = parts.map(String.init)
            spoilt[spoilt.count - 2] = String(spoilt[spoilt.count - 2].dropLast(4)) + "AAAA"
            let response = try await AssetClient.get(spoilt.joined(separator: "/"))
            #expect(response.status >= 400 && response.status < 500)
            #expect(response.json["field"] == "url")
            // An upload address is not valid for a download.
            let ticket = upload.split(separator: "/").last.map(String.init) ?? ""
            spoilt[spoilt.count - 2] = ticket
            #expect(try await AssetClient.get(spoilt.joined(separator: "/")).status >= 400)
        }
    }

    /// Lifetimes are seconds here, so that the tests can wait until they have passed.
    @Suite(.timeLimit(.minutes(2))) struct ExpiredAssetTests {
        @Test func addressesAndReceiptsExpire() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(
                    .asset, ["ZONDA_ASSET_UPLOAD_LIFE": "1s", "ZONDA_ASSET_RECEIPT_LIFE": "1s"])
                try await stack.startService(.record, ["ZONDA_ASSET_DOWNLOAD_LIFE": "1s"])
                let client = stack.client()
                try await client.zones("create", "Notes")
                let url = try await client.uploadURL("photo")
                let asset = try #require(try await AssetClient.upload([1, 2, 3], to: url).json["singleFile"])
                try await client.save("Notes", "a", ["photo": asset])
                let download = try await client.downloadURL("Notes", "a", "photo")

                let late = try await eventually("the upload's address expires") {
                    let response = try await AssetClient.upload([1, 2, 3], to: url)
                    return response.status == 200 ? nil : response
                }
                #expect(late.json["field"] == "photo")
                #expect(late.json.reasonCode == "upload_url_expired")
                let gone = try await eventually("the download's address expires") {
                    let response = try await AssetClient.get(download)
                    return response.status == 200 ? nil : response
                }
                #expect(gone.json.reasonCode == "download_url_expired")
                let refused = try await eventually("the receipt expires") {
                    let reply = try await client.modify("Notes", .operation("forceUpdate", "b", ["photo": asset]))
                    return reply["records"]?[0]?.errorCode == nil ? nil : reply["records"]?[0]
                }
                #expect(refused["field"] == "photo")
                #expect(refused.reasonCode == "asset_receipt_expired")
            }
        }
    }
}

extension JSONValue {
    /// Returns the object with the value of a key replaced, or removed if `value` is nil.
    func replacing(_ key: String, with value: JSONValue?) -> JSONValue {
        let others = (members ?? []).filter { $0.key != key }
        return .object(others + (value.map { [Member(key, $0)] } ?? []))
    }
}
