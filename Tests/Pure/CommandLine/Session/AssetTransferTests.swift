import CloudKitWire
import Foundation
import ServiceMessages
import Synchronization
import TestSupport
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite(.timeLimit(.minutes(1))) struct AssetTransferTests {
    private static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
    private let limit: Duration = .seconds(10)

    private func upload(
        _ path: String, to service: FakeAssetService, limit: Duration = .seconds(10),
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws -> AssetValue {
        try await AssetTransfer.with { transfer in
            let file = try await AssetFile(try LocalFile(path: path))
            let addresses = try await service.uploadAddresses(
                1, type: nil, recordName: nil, field: "photo", limit: limit)
            return try await service.upload(
                file, to: addresses[0], over: transfer, limit: limit, progress: progress)
        }
    }

    @Test(arguments: [0, 1, 262_144, 3_000_000])
    func aFileArrivesWholeAndItsProgressIsReported(count: Int) async throws {
        let folder = try TestFolder()
        let bytes = Array(Self.bytes.prefix(count))
        let service = FakeAssetService()
        let progress = Mutex<[Int64]>([])
        let asset = try await upload(try folder.write(bytes, "a"), to: service) { done in
            progress.withLock { $0.append(done) }
        }
        #expect(asset.size == Int64(bytes.count))
        #expect(asset.checksum == AssetBytes(bytes).checksum)
        #expect(asset.json["receipt"] == "r")
        let reported = progress.withLock { $0 }
        #expect(reported.last ?? 0 == Int64(bytes.count))
        #expect(reported == reported.sorted())
    }

    @Test func anInterruptedUploadIsRepeatedFromItsBeginning() async throws {
        let folder = try TestFolder()
        let service = FakeAssetService(FakeAssetStore.Faults(cutsUploads: 2))
        let asset = try await upload(try folder.write(Self.bytes, "a"), to: service)
        #expect(asset.checksum == AssetBytes(Self.bytes).checksum)
    }

    @Test func aRefusedUploadReportsTheServicesError() async throws {
        let folder = try TestFolder()
        let service = FakeAssetService(FakeAssetStore.Faults(refusesUploads: true))
        let path = try folder.write([1, 2, 3], "a")
        let failure = await #expect(throws: RequestFailure.self) { try await upload(path, to: service) }
        guard case .refused(let refusal) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(refusal.field == "photo")
        #expect(refusal.limit == 5)
    }

    @Test func aReceiptForOtherBytesIsAnError() async throws {
        let folder = try TestFolder()
        let service = FakeAssetService(FakeAssetStore.Faults(spoilsReceipts: true))
        let path = try folder.write([1, 2, 3], "a")
        let failure = await #expect(throws: RequestFailure.self) { try await upload(path, to: service) }
        #expect(failure?.code == "CHECKSUM_MISMATCH")
    }

    @Test func aFileThatShrinksWhileItIsSentIsAnErrorAndNotAShortUpload() async throws {
        let folder = try TestFolder()
        let path = try folder.write(Self.bytes, "a")
        let file = try await AssetFile(try LocalFile(path: path))
        truncate(path, 300_000)
        let service = FakeAssetService()
        let failure = await #expect(throws: RequestFailure.self) {
            try await AssetTransfer.with { transfer in
                let address = UploadAddress(recordName: "r", url: "\(service.server.url)/upload/t")
                return try await service.upload(file, to: address, over: transfer, limit: limit)
            }
        }
        #expect(failure?.code == "ASSET_FILE_MODIFIED")
        #expect(service.store.blobCount == 0)
    }

    @Test func aFileThatWasWrittenSinceItWasOpenedIsNoticed() throws {
        let folder = try TestFolder()
        let file = try LocalFile(path: try folder.write([1, 2, 3], "a"))
        try file.checkUnchanged()
        _ = try folder.write([1, 2, 3, 4], "a")
        // If another file is written under the same name, the open one does not change, so the test writes to the
        // existing file.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
        let second = try LocalFile(path: file.path)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([5]))
        let failure = #expect(throws: RequestFailure.self) { try second.checkUnchanged() }
        #expect(failure?.code == "ASSET_FILE_MODIFIED")
    }

    @Test(arguments: ["/nowhere/at/all", "/tmp"])
    func onlyFilesAreUploaded(path: String) {
        let failure = #expect(throws: RequestFailure.self) { try LocalFile(path: path) }
        #expect(failure?.code == "FILE_ERROR")
        #expect(failure?.description.contains(path) == true)
    }

    @Test func anInvalidAddressFailsAtOnceAndTheErrorDoesNotContainIt() async throws {
        let service = FakeAssetService()
        let failure = await #expect(throws: RequestFailure.self) {
            try await AssetTransfer.with { transfer in
                let address = UploadAddress(recordName: "r", url: "no-address/ticket-7")
                return try await service.upload(
                    AssetBytes([1]), to: address, over: transfer, limit: .seconds(600))
            }
        }
        #expect(failure?.code == "NO_ANSWER")
        #expect(failure?.description.contains("ticket-7") == false)
    }

    @Test func anUnreachableServiceIsAwaitedUntilTheLimit() async throws {
        let failure = await #expect(throws: RequestFailure.self) {
            try await AssetTransfer.with { transfer in
                try await FakeAssetService().upload(
                    AssetBytes([1]), to: UploadAddress(recordName: "r", url: "http://127.0.0.1:1/upload/t"),
                    over: transfer, limit: .milliseconds(300))
            }
        }
        #expect(failure?.code == "NO_ANSWER")
    }

    /// Saves `bytes` and downloads them to a file.
    private func download(
        _ bytes: [UInt8], from service: FakeAssetService, to path: String, index: Int = 0
    ) async throws {
        let first = service.store.store([9])["singleFile"] ?? .null
        let second = service.store.store(bytes)["singleFile"] ?? .null
        _ = service.store.modify([
            "record": [
                "recordName": "n",
                "fields": ["one": ["value": second], "many": ["value": [first, second]]],
            ]
        ])
        let place = AssetPlace(zone: "Z", recordName: "n", field: index == 0 ? "one" : "many", index: index)
        let asset = try await service.asset(at: place, limit: limit)
        let file = try DownloadFile(path: path)
        do {
            try await AssetTransfer.with { transfer in
                try await service.download(asset, over: transfer, limit: limit) {
                    piece, _ throws(RequestFailure) in try await file.append(piece)
                }
            }
            try await file.finish()
        } catch {
            file.discard()
            throw error
        }
    }

    @Test(arguments: [0, 1])
    func anAssetAlsoOneOfAListIsDownloadedWholeBeforeItsFileGetsItsName(index: Int) async throws {
        let folder = try TestFolder()
        try await download(Self.bytes, from: FakeAssetService(), to: "\(folder.path)/a", index: index)
        let written = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/a"))
        #expect(Array(written) == Self.bytes)
        let names = try folder.names()
        #expect(names == ["a"])
    }

    @Test(arguments: [false, true])
    func anInterruptedDownloadContinuesWhereItEnded(ignoresRanges: Bool) async throws {
        let folder = try TestFolder()
        let service = FakeAssetService(FakeAssetStore.Faults(cutsDownloads: 2, ignoresRanges: ignoresRanges))
        try await download(Self.bytes, from: service, to: "\(folder.path)/a")
        let written = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/a"))
        #expect(Array(written) == Self.bytes)
        #expect(service.store.ranges.count == 2)
        #expect(!service.store.ranges.contains("bytes=0-"))
    }

    @Test func wrongBytesLeaveNoFile() async throws {
        let folder = try TestFolder()
        let service = FakeAssetService(FakeAssetStore.Faults(spoilsBytes: true))
        let failure = await #expect(throws: RequestFailure.self) {
            try await download(Self.bytes, from: service, to: "\(folder.path)/a")
        }
        #expect(failure?.code == "CHECKSUM_MISMATCH")
        let names = try folder.names()
        #expect(names.isEmpty)
    }

    @Test func aFieldWithoutAnAssetAndAnIndexPastTheEndAreReported() async throws {
        let service = FakeAssetService()
        _ = service.store.modify(["record": ["recordName": "n", "fields": ["title": ["value": [:]]]]])
        for place in [
            AssetPlace(zone: "Z", recordName: "n", field: "title"),
            AssetPlace(zone: "Z", recordName: "n", field: "other"),
            AssetPlace(zone: "Z", recordName: "n", field: "title", index: 1),
        ] {
            let failure = await #expect(throws: RequestFailure.self) {
                try await service.asset(at: place, limit: limit)
            }
            #expect(failure?.code == "NO_ASSET")
        }
        let failure = await #expect(throws: RequestFailure.self) {
            try await service.asset(at: AssetPlace(zone: "Z", recordName: "x", field: "f"), limit: limit)
        }
        #expect(failure?.code == "NOT_FOUND")
    }
}
