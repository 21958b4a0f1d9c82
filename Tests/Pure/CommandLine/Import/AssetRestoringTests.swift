import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

/// The assets of an export and an import.
@Suite struct AssetRestoringTests {
    private let scope = RequestScope(container: "c", environment: .development, database: .private, user: "_u")

    private func line(_ name: String, _ bytes: [UInt8]) -> String {
        let source = AssetBytes(bytes)
        return #"{"operationType":"forceReplace","zoneID":{"zoneName":"Z"},"record":{"recordName":"\#(name)","#
            + #""fields":{"f":{"value":{"fileChecksum":"\#(source.checksum.fileChecksum)","size":\#(source.size)}}}}}"#
    }

    private func restore(
        _ text: String, into service: FakeAssetService, folder: String?
    ) async throws -> ImportReport {
        let file = try TestFolder()
        var lines = try LineReader(path: try file.write(Array(text.utf8), "lines"))
        return try await AssetTransfer.with { transfer in
            let importer = Importer(
                plan: Importer.Plan(), requester: service,
                assets: ImportAssets(
                    requester: service, scope: scope, folder: folder.map { AssetFolder(path: $0) }, transfer: transfer))
            return try await importer.run(&lines)
        }
    }

    private func hasReceipt(_ name: String, _ service: FakeAssetService) -> Bool {
        service.store.saved(name)?["fields"]?["f"]?["value"]?["receipt"] != nil
    }

    @Test func assetsGetReceiptsFromTheStoreOrTheFoldersFilesAndALineWithoutEitherFailsAlone() async throws {
        let (service, folder) = (FakeAssetService(), try TestFolder())
        let (stored, inFolder, nowhere): ([UInt8], [UInt8], [UInt8]) = ([1], [2, 2], [3, 3, 3])
        _ = service.store.store(stored)
        _ = try folder.write(inFolder, AssetBytes(inFolder).checksum.hex)
        let text = [line("a", stored), line("b", inFolder), line("c", nowhere), line("d", inFolder)]
        let report = try await restore(text.joined(separator: "\n"), into: service, folder: folder.path)
        #expect(report.saved == 3 && report.uploaded == 1 && report.uploadedBytes == 2)
        #expect(report.errors == ["NO_ASSET": 1])
        #expect(report.firstFailures[0].line == 3)
        #expect("\(report.firstFailures[0].failure)".contains(AssetBytes(nowhere).checksum.hex))
        for name in ["a", "b", "d"] { #expect(hasReceipt(name, service)) }
        #expect(service.store.saved("c") == nil)
    }

    @Test func aFileWhoseBytesDoNotMatchItsNameIsNotUploaded() async throws {
        let (service, folder) = (FakeAssetService(), try TestFolder())
        _ = try folder.write([9], AssetBytes([1]).checksum.hex)
        let report = try await restore(line("a", [1]), into: service, folder: folder.path)
        #expect(report.errors == ["CHECKSUM_MISMATCH": 1] && service.store.blobCount == 0)
    }

    @Test func anExportFetchesEachContentOnceIntoTheFileOfItsChecksumAndReportsMissingOnes() async throws {
        let (service, folder) = (FakeAssetService(), try TestFolder())
        let contents: [[UInt8]] = (0..<9).map { [UInt8](repeating: $0, count: Int($0)) }
        for bytes in contents.dropFirst() { _ = service.store.store(bytes) }
        let assets = (contents + contents).map { bytes -> AssetValue? in
            let source = AssetBytes(bytes)
            return AssetValue([
                "fileChecksum": .string(source.checksum.fileChecksum), "size": .int(source.size),
                "downloadURL": .string("\(service.server.url)/download/\(source.checksum.hex)/${f}"),
            ])
        }
        try await AssetTransfer.with { transfer in
            let export = ExportAssets(
                requester: service, transfer: transfer, folder: AssetFolder(path: folder.path))
            let results = await export.fetch(assets.compactMap(\.self))
            #expect(results.count == 9)
            #expect(results.compactMap { try? $0.get() }.reduce(0, +) == 36)
            let failures = results.compactMap { result -> RequestFailure? in
                if case .failure(let failure) = result { failure } else { nil }
            }
            #expect(failures.map(\.code) == ["NOT_FOUND"])
            #expect("\(failures)".contains(AssetBytes([]).checksum.hex))
            #expect(await export.fetch(assets.compactMap(\.self)).count == 1)
        }
        #expect(try folder.names() == contents.dropFirst().map { AssetBytes($0).checksum.hex }.sorted())
    }
}
