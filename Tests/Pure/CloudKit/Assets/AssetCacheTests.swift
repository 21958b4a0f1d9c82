import CloudKitModel
import Foundation
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import CloudKit

@Suite(.timeLimit(.minutes(1))) struct AssetCacheTests {
    private static let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private static func asset(_ bytes: [UInt8] = content, at url: String) -> Asset {
        var digest = ContentDigest()
        digest.update(.init(bytes: bytes))
        return Asset(fileChecksum: digest.fileChecksum, size: Int64(bytes.count), downloadURL: url + "/asset/${f}")
    }

    @Test("Two assets with one content make one download; later fetches need none")
    func once() async throws {
        let folder = try TemporaryFolder()
        let gateway = FakeGateway { _, _ in FakeHTTPServer.Response(body: Self.content) }
        let cache = AssetCache(folder: folder.path + "/new/cache")
        let connection = try gateway.connection()
        let asset = Self.asset(at: gateway.url)
        async let first = cache.file(of: asset, from: connection)
        async let second = cache.file(of: asset, from: connection)
        let urls = try await [first, second]
        #expect(urls[0] == urls[1])
        #expect(try Data(contentsOf: urls[0]) == Data(Self.content))
        #expect(try await cache.file(of: asset, from: connection) == urls[0])
        #expect(try await AssetCache(folder: cache.folder).file(of: asset, from: connection) == urls[0])
        #expect(gateway.requests.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder).count == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: urls[0].path)[.posixPermissions] as? NSNumber
        #expect(mode == 0o600)
    }

    @Test("A copy that an application moved or changed is downloaded again")
    func changed() async throws {
        let folder = try TemporaryFolder()
        let gateway = FakeGateway { _, _ in FakeHTTPServer.Response(body: Self.content) }
        let cache = AssetCache(folder: folder.path)
        let connection = try gateway.connection()
        let url = try await cache.file(of: Self.asset(at: gateway.url), from: connection)
        try Data(Self.content.reversed()).write(to: url)
        _ = try await cache.file(of: Self.asset(at: gateway.url), from: connection)
        #expect(try Data(contentsOf: url) == Data(Self.content))
        try FileManager.default.removeItem(at: url)
        _ = try await cache.file(of: Self.asset(at: gateway.url), from: connection)
        #expect(gateway.requests.count == 3)
    }

    @Test("A download that is interrupted continues", arguments: [true, false])
    func resumed(_ hasRanges: Bool) async throws {
        let folder = try TemporaryFolder()
        let gateway = FakeGateway { request, number in
            guard number > 0 else {
                var cut = FakeHTTPServer.Response(body: Self.content)
                cut.isCutOffAfter = 60_000
                return cut
            }
            guard hasRanges, let range = request.headers["range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return FakeHTTPServer.Response(body: Self.content)
            }
            return FakeHTTPServer.Response(status: 206, body: Array(Self.content[start...]))
        }
        let url = try await AssetCache(folder: folder.path).file(
            of: Self.asset(at: gateway.url), from: try gateway.connection())
        #expect(try Data(contentsOf: url) == Data(Self.content))
        #expect(gateway.requests.count == 2)
        #expect(gateway.requests.last?.headers["range"]?.hasPrefix("bytes=") == true)
    }

    @Test(
        "Content that is wrong, gone or expired is not available, and nothing stays in the cache",
        arguments: [
            (200, Array("something else".utf8)), (200, content.dropLast() + [0]), (200, content + [0]),
            (404, []), (403, Array("{\"serverErrorCode\": \"ACCESS_DENIED\", \"reason\": \"expired\"}".utf8)),
        ])
    func unavailable(_ status: Int, _ body: [UInt8]) async throws {
        let folder = try TemporaryFolder()
        let gateway = FakeGateway { _, _ in FakeHTTPServer.Response(status: status, body: body) }
        let error = try await #require(throws: CKError.self) {
            try await AssetCache(folder: folder.path).file(
                of: Self.asset(at: gateway.url), from: try gateway.connection())
        }
        #expect(error.code == .assetNotAvailable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("A cache that cannot be written is an error of the asset")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        let gateway = FakeGateway { _, _ in FakeHTTPServer.Response(body: Self.content) }
        let error = try await #require(throws: CKError.self) {
            try await AssetCache(folder: folder.path + "/file/cache").file(
                of: Self.asset(at: gateway.url), from: try gateway.connection())
        }
        #expect(error.code == .assetNotAvailable)
        #expect(error.userInfo[NSUnderlyingErrorKey] != nil)
    }

    @Test("Old files are removed, and then the oldest until the rest is small enough, but not the newest")
    func cleaning() async throws {
        let folder = try TemporaryFolder()
        let now = Date()
        for (name, age, size) in [
            ("ancient", 5000.0, 1), ("old", 900, 600), ("older", 950, 600), ("new", 10, 600), ("newer", 5, 600),
        ] {
            let path = "\(folder.path)/\(name)"
            try Data(count: size).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes(
                [.modificationDate: now.addingTimeInterval(-age)], ofItemAtPath: path)
        }
        var limits = AssetCache.Limits(maxBytes: 2000, maxAge: 1000, protected: 600)
        try await Self.expect(["new", "newer", "old"], in: folder, limits, at: now)
        limits.maxBytes = 1000
        try await Self.expect(["new", "newer"], in: folder, limits, at: now)
    }

    private static func expect(
        _ names: [String], in folder: TemporaryFolder, _ limits: AssetCache.Limits, at now: Date
    ) async throws {
        await AssetCache(folder: folder.path, limits: limits).clean(at: now)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
    }
}
