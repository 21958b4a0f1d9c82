import AMQPClient
import AssetTestSupport
import CloudKitModel
import CloudKitWire
import RequestServing
import ServiceMessages
import SignedTokens
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage
@testable import BlobStorage

/// Uploads of participants to the database of a zone's owner (semantics 11.4).
@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct ParticipantAssetTests {
    private static let owner = "_" + String(repeating: "c", count: 32)
    private static let zone: JSONValue = ["zoneName": "Album", "ownerRecordName": .string(owner)]
    /// The scope of the uploads of the requests' user.
    private static let scope = AssetScope(
        container: AssetStack.container, environment: .development, scope: .private, owner: owner,
        participant: AssetScope.Participant(user: AssetRequests.user, zone: ZoneName(unchecked: "Album")))

    /// The operations of a stack, with a fake record service.
    private struct Parts {
        let stack: AssetStack
        let records: FakeRecordService
        let uses: BlobUses

        var scopes: AssetScopes { AssetScopes(rights: ShareRights(service: records.client)) }
        var uploader: AssetUploader {
            let usual = stack.uploader
            return AssetUploader(
                receiptLife: usual.receiptLife, maxAssetBytes: usual.maxAssetBytes, keys: usual.keys,
                store: usual.store, table: usual.table, quotas: usual.quotas, rights: scopes.rights,
                retry: usual.retry, metrics: usual.metrics, logger: usual.logger)
        }

        func scope(in zoneID: JSONValue?) async throws -> AssetScope {
            try await scopes.scope(of: try AssetRequests.open(.assetsUpload, [], in: "shared"), in: zoneID)
        }

        func put(_ headers: AMQPTable) async throws -> JSONValue {
            let request = try AssetRequests.open(.assetsPut, Array("bytes".utf8), headers: headers, in: "shared")
            return try await AssetsPutOperation(uploader: uploader, scopes: scopes).answer(request).json
        }
    }

    private static func with(
        _ settings: [String: String] = [:], _ permission: SharePermission? = .readWrite,
        _ body: (Parts) async throws -> Void
    ) async throws {
        try await AssetStack.with(settings) { stack in
            try await FakeRecordService.with(.says(used: [])) { records, uses, _ in
                records.permit(permission)
                try await body(Parts(stack: stack, records: records, uses: uses))
            }
        }
    }

    private static func zoneNotFound(owner: String) -> ServerError {
        .zoneNotFound(ZoneID(zoneName: ZoneName(unchecked: "Album"), ownerRecordName: UserName(unchecked: owner)))
    }

    private static func refusal(_ body: () async throws -> Void) async -> ServerError? {
        await #expect(throws: ServerError.self) { try await body() }
    }

    @Test func aScopeIsTheOwnersDatabaseWithTheParticipant() async throws {
        try await Self.with { parts in
            let scope = try await parts.scope(in: Self.zone)
            #expect(scope == Self.scope)
        }
    }

    @Test func theRightToWriteIsRequired() async throws {
        try await Self.with { parts in
            let unnamed: [JSONValue?] = [nil, .null, ["zoneName": "Album"]]
            for zone in unnamed {
                let error = await Self.refusal { _ = try await parts.scope(in: zone) }
                #expect(error?.ckErrorCode == 12 && error?.field == "ownerRecordName")
            }
            parts.records.permit(.readOnly)
            let readOnly = await Self.refusal { _ = try await parts.scope(in: Self.zone) }
            #expect(readOnly?.ckErrorCode == 10)
            // Without any right, and for names that no zone of the shared database has, the zone does not exist.
            parts.records.permit(nil)
            let hidden = await Self.refusal { _ = try await parts.scope(in: Self.zone) }
            #expect(hidden == Self.zoneNotFound(owner: Self.owner))
            for owner in [AssetRequests.user, "nobody", "a\u{0}b"] {
                let zone: JSONValue = ["zoneName": "Album", "ownerRecordName": .string(owner)]
                let error = await Self.refusal { _ = try await parts.scope(in: zone) }
                #expect(error == Self.zoneNotFound(owner: owner))
            }
        }
    }

    @Test(arguments: [FakeRecordService.Manner.isSilent, .fails])
    func withoutTheRecordServiceNothingIsUploaded(manner: FakeRecordService.Manner) async throws {
        try await Self.with { parts in
            parts.records.behave(manner)
            let request = try AssetRequests.open(.assetsUpload, [], in: "shared")
            var context = request.context
            context.deadline = SystemClock.milliseconds() + 300
            let hurried = OpenedRequest(delivery: request.delivery, operation: .assetsUpload, context: context)
            let error = await Self.refusal { _ = try await parts.scopes.scope(of: hurried, in: Self.zone) }
            if case .isSilent = manner {
                #expect(error?.code == .tryAgainLater && error?.reasonCode == "record_service_away")
            } else {
                #expect(error?.code == .internalError)
            }
            #expect(parts.stack.files("blobs") == [])
        }
    }

    @Test func aPutCountsForTheOwnerAndItsReceiptIsTheParticipants() async throws {
        try await Self.with { parts in
            let headers: AMQPTable = [Header.zone: "Album", Header.zoneOwner: .string(Self.owner)]
            let file = try #require(try await parts.put(headers)["singleFile"])
            let receipt = try #require(
                AssetReceipt(opening: file["receipt"]?.string ?? "", with: parts.stack.configuration.receiptKeys))
            #expect(receipt.scope == Self.scope)
            #expect(try await QuotaTests.bytes(parts.stack, AssetStack.scope(of: Self.owner)) == 5)
            #expect(try await QuotaTests.bytes(parts.stack, AssetStack.scope(of: AssetRequests.user)) == 0)
            for missing in [Header.zone, Header.zoneOwner] {
                var headers = headers
                headers[missing] = nil
                let error = await Self.refusal { [headers] in _ = try await parts.put(headers) }
                #expect(error?.ckErrorCode == 12 && error?.field == missing)
            }
        }
    }

    @Test func contentOfTheOwnerLooksLikeNoneToParticipants() async throws {
        try await Self.with { parts in
            let theirs = try await parts.stack.upload("theirs", to: AssetStack.scope(of: Self.owner))
            let row = try #require(try await parts.stack.row(theirs))
            parts.records.behave(.says(used: [row.id]))
            let operation = AssetsUploadOperation(
                publicURL: "https://a.example", life: .seconds(60), keys: parts.stack.configuration.uploadKeys,
                contents: OwnContents(
                    keys: parts.stack.configuration.receiptKeys, table: parts.stack.table,
                    receipts: parts.stack.parts.receipts, uses: parts.uses))
            func token(_ asset: UploadedAsset, _ receipt: String?) async throws -> JSONValue {
                let token: JSONValue = [
                    "fieldName": "photo", "fileChecksum": .string(asset.content.checksum.fileChecksum),
                    "size": .int(asset.content.size), "receipt": receipt.map { .string($0) } ?? .null,
                ]
                let request = try AssetRequests.open(.assetsUpload, ["tokens": [token]])
                return try #require(try await operation.answer(request, to: Self.scope).json["tokens"]?[0])
            }
            for receipt in [nil, theirs.receipt] {
                let answer = try await token(theirs, receipt)
                #expect(answer.members?.map(\.key) == ["recordName", "fieldName", "url"])
                let ticket = try #require(
                    AssetUploadTicket(
                        opening: answer["url"]?.string?.split(separator: "/").last ?? "",
                        with: parts.stack.configuration.uploadKeys))
                #expect(ticket.scope == Self.scope)
            }
            // The record service was not even asked.
            #expect(parts.records.questions.elements.isEmpty)
            // After an upload, the participant's own receipt is proof.
            let own = try await parts.uploader.upload(TextSource("theirs"), to: Self.scope)
            #expect(try await token(own, own.receipt)["singleFile"] != nil)
        }
    }

    @Test func theOwnersQuotaAppliesWithoutItsNumbers() async throws {
        try await Self.with(["ZONDA_ASSET_USER_QUOTA": "10"]) { parts in
            _ = try await parts.stack.upload("12345678", to: AssetStack.scope(of: Self.owner))
            let error = await Self.refusal {
                _ = try await parts.uploader.upload(TextSource("abc"), to: Self.scope)
            }
            #expect(error?.code == .quotaExceeded && error?.field == "file")
            #expect(error?.limit == nil && error?.actual == nil && error?.reason.contains("1") == false)
            #expect(parts.stack.files("blobs").count == 1 && parts.stack.files("incoming") == [])
        }
    }

    /// The address of an upload remains valid for a while. The rights are read again for the upload itself.
    @Test func aRemovedParticipantsAddressTakesNoBytes() async throws {
        try await Self.with { parts in
            var server = parts.stack.parts.http
            server.responder.uploads = UploadRoute(
                uploader: parts.uploader, keys: parts.stack.configuration.uploadKeys, resumable: nil)
            try await HTTPStack.serve(parts.stack, server) { http in
                let path = http.uploadPath(to: Self.scope)
                let before = try await http.ask("POST", path, body: Array("bytes".utf8))
                #expect(before.status == 200)
                for (permission, status, code) in [(nil, 404, 26), (.readOnly, 403, 10)]
                    as [(SharePermission?, Int, Int64)]
                {
                    parts.records.permit(permission)
                    let refused = try await http.ask("POST", path, body: Array("other".utf8))
                    #expect(refused.status == status && refused.json["ckErrorCode"] == .int(code))
                }
            }
            #expect(parts.stack.files("blobs").count == 1 && parts.stack.files("incoming") == [])
        }
    }

    @Test func anInterruptedUploadIsContinuedOnlyWithTheRightToWrite() async throws {
        try await Self.with { parts in
            var server = parts.stack.parts.http
            let usual = try #require(server.responder.uploads.resumable)
            server.responder.uploads = UploadRoute(
                uploader: parts.uploader, keys: parts.stack.configuration.uploadKeys,
                resumable: ResumableUploads(
                    uploader: parts.uploader, receipts: usual.receipts, partials: usual.partials,
                    publicURL: usual.publicURL, life: usual.life, maxWaiting: usual.maxWaiting,
                    maxWaitingPerDatabase: usual.maxWaitingPerDatabase))
            try await HTTPStack.serve(parts.stack, server) { http in
                let begun = try await http.final(
                    "POST", http.uploadPath(to: Self.scope), ResumableUploadTests.headers(complete: false),
                    body: Array("by".utf8))
                try #require(begun.status == 201)
                let path = try ResumableUploadTests.path(begun)
                let (rest, headers) = (Array("tes".utf8), ResumableUploadTests.headers(complete: true, offset: 2))
                parts.records.permit(nil)
                let refused = try await http.final("PATCH", path, headers, body: rest)
                #expect(refused.status == 404 && refused.json["ckErrorCode"] == 26)
                parts.records.permit(.readWrite)
                let completed = try await http.final("PATCH", path, headers, body: rest)
                #expect(completed.status == 200)
                // The answer is repeated only to a participant who may still write.
                let again = ResumableUploadTests.headers(complete: true, offset: 5)
                let repeated = try await http.final("PATCH", path, again)
                #expect(repeated.json["singleFile"]?["receipt"]?.string != nil)
                parts.records.permit(.readOnly)
                let late = try await http.final("PATCH", path, again)
                #expect(late.status == 403 && late.json["ckErrorCode"] == 10)
            }
        }
    }

    /// Removes the participant while its bytes arrive.
    private struct RemovingSource: UploadSource {
        let records: FakeRecordService

        func read(into incoming: inout IncomingAsset) async throws {
            try await TextSource("bytes").read(into: &incoming)
            records.permit(nil)
        }
    }

    @Test func aParticipantWhoIsRemovedDuringAnUploadGetsNoReceipt() async throws {
        try await Self.with { parts in
            let usage = try await parts.uploader.quotaUsage(of: Self.scope, patience: .seconds(5))
            let error = await Self.refusal {
                _ = try await parts.uploader.upload(
                    RemovingSource(records: parts.records), to: Self.scope, within: usage, field: "photo",
                    patience: .seconds(5))
            }
            #expect(error?.ckErrorCode == 26)
            #expect(parts.stack.files("blobs") == [] && parts.stack.files("incoming") == [])
            #expect(try await QuotaTests.bytes(parts.stack, AssetStack.scope(of: Self.owner)) == 0)
        }
    }
}
