import CloudKitModel
import CloudKitWire
import Foundation
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import CloudKit

@Suite(.timeLimit(.minutes(1))) struct AssetUploadsTests {
    private static func uploads(_ files: [String], _ gateway: FakeGateway) throws -> (AssetUploads, [AssetUpload]) {
        let uploads = AssetUploads(
            connection: try gateway.connection(session: FakeGateway.session("w", user: "_a")), database: .private,
            zoneID: ["zoneName": "Notes"])
        return (
            uploads,
            files.map {
                AssetUpload(
                    file: URL(fileURLWithPath: $0), recordType: "Note", recordName: "n", fieldName: "photo")
            }
        )
    }

    private static func checksum(_ bytes: [UInt8]) -> String {
        var digest = ContentDigest()
        digest.update(.init(bytes: bytes))
        return digest.fileChecksum
    }

    private static func receipt(_ bytes: [UInt8]) -> JSONValue {
        [
            "singleFile": [
                "fileChecksum": .string(checksum(bytes)), "size": .int(Int64(bytes.count)), "receipt": "r",
                "referenceChecksum": "ref", "wrappingKey": "key",
            ]
        ]
    }

    /// Answers `assets/upload` with an address for each token, and other requests with `other`.
    private static func gateway(
        _ other: @escaping @Sendable (FakeHTTPServer.Request) -> FakeHTTPServer.Response
    ) -> FakeGateway {
        FakeGateway { request, _ in
            guard request.path.contains("/assets/upload?") else { return other(request) }
            let tokens = (try? JSONValue(parsing: request.body))?["tokens"]?.array ?? []
            let host = request.headers["host"] ?? ""
            let answers: [JSONValue] = tokens.indices.map { ["url": .string("http://\(host)/up/\($0)")] }
            return FakeHTTPServer.Response(body: JSONValue.object([.init("tokens", .array(answers))]).encoded())
        }
    }

    @Test("A file is sent with its checksum, and is not touched")
    func plain() async throws {
        let folder = try TemporaryFolder()
        let bytes = Array("Hello".utf8)
        let path = folder.path + "/a"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let before = FileVersion(of: path)
        let gateway = Self.gateway { FakeHTTPServer.Response(body: Self.receipt($0.body).encoded()) }
        let (uploads, items) = try Self.uploads([path], gateway)
        let fractions = Mutex<[Double]>([])
        let results = await uploads.upload(items) { _, fraction in fractions.withLock { $0.append(fraction) } }
        #expect(
            try results.map { try $0.get() } == [
                Asset(
                    fileChecksum: Self.checksum(bytes), size: 5, receipt: "r", referenceChecksum: "ref",
                    wrappingKey: "key")
            ])
        let request = try #require(gateway.requests.first)
        #expect(request.path.contains("/private/assets/upload?"))
        #expect(
            try JSONValue(parsing: request.body) == [
                "zoneID": ["zoneName": "Notes"],
                "tokens": [
                    [
                        "recordType": "Note", "recordName": "n", "fieldName": "photo",
                        "fileChecksum": .string(Self.checksum(bytes)), "size": 5,
                    ]
                ],
            ])
        #expect(gateway.requests.last?.body == bytes)
        #expect(gateway.requests.last?.path == "/up/0")
        #expect(fractions.withLock { $0.last } == 1)
        #expect(FileVersion(of: path) == before)
    }

    @Test("Content that the server has is not sent")
    func known() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a"
        try Data("Hello".utf8).write(to: URL(fileURLWithPath: path))
        let gateway = FakeGateway { _, _ in
            FakeHTTPServer.Response(
                body: JSONValue.object([.init("tokens", [Self.receipt(Array("Hello".utf8))])]).encoded())
        }
        let (uploads, items) = try Self.uploads([path], gateway)
        #expect(try await uploads.upload(items).first?.get().receipt == "r")
        #expect(gateway.requests.count == 1)
    }

    @Test("A file that does not exist is an error of its own; the others are sent")
    func missing() async throws {
        let folder = try TemporaryFolder()
        let paths = ["a", "b", "c"].map { "\(folder.path)/\($0)" }
        for path in paths where !path.hasSuffix("b") { try Data(path.utf8).write(to: URL(fileURLWithPath: path)) }
        let gateway = Self.gateway { FakeHTTPServer.Response(body: Self.receipt($0.body).encoded()) }
        let (uploads, items) = try Self.uploads(paths + [folder.path], gateway)
        let results = await uploads.upload(items)
        #expect(try results[0].get().fileChecksum == Self.checksum(Array(paths[0].utf8)))
        #expect(try results[2].get().fileChecksum == Self.checksum(Array(paths[2].utf8)))
        for index in [1, 3] {
            let error = try #require(throws: CKError.self) { try results[index].get() }
            #expect(error.code == .assetFileNotFound)
            #expect(error.localizedDescription.contains(folder.path))
        }
    }

    @Test("A file that changes while it is uploaded is reported, whoever notices", arguments: [false, true])
    func modified(_ keepsSize: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a"
        try Data("Hello".utf8).write(to: URL(fileURLWithPath: path))
        let gateway = FakeGateway { request, _ in
            if request.path.contains("/assets/upload?") {
                try? Data((keepsSize ? "Holla" : "Hello, world").utf8).write(to: URL(fileURLWithPath: path))
                let host = request.headers["host"] ?? ""
                return FakeGateway.json("{\"tokens\": [{\"url\": \"http://\(host)/up\"}]}")
            }
            return FakeGateway.json(
                """
                {"serverErrorCode": "BAD_REQUEST", "ckErrorCode": 12, "reasonCode": "checksum_mismatch", "reason": "r"}
                """, status: 400)
        }
        let (uploads, items) = try Self.uploads([path], gateway)
        let result = try #require(await uploads.upload(items).first)
        let error = try #require(throws: CKError.self) { try result.get() }
        #expect(error.code == .assetFileModified)
        #expect(error.localizedDescription.contains(path))
    }

    @Test("A large upload that is interrupted continues where the server says")
    func resumed() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a"
        let bytes = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let half = 2 << 20
        let patches = Mutex(0)
        let gateway = Self.gateway { request in
            switch request.method {
            case "POST":
                FakeHTTPServer.Response(
                    status: 201, headers: ["location": "http://\(request.headers["host"] ?? "")/resume"])
            case "HEAD": FakeHTTPServer.Response(status: 204, headers: ["upload-offset": "\(half)"])
            default:
                {
                    var answer = FakeHTTPServer.Response(body: Self.receipt(bytes).encoded())
                    let isFirst = patches.withLock {
                        $0 += 1
                        return $0 == 1
                    }
                    if isFirst { answer.isCutOffAfter = 0 }
                    return answer
                }()
            }
        }
        let (uploads, items) = try Self.uploads([path], gateway)
        let result = try #require(await uploads.upload(items).first)
        #expect(try result.get().size == Int64(bytes.count))
        let last = try #require(gateway.requests.last)
        #expect(last.method == "PATCH")
        #expect(last.headers["upload-offset"] == "\(half)")
        #expect(last.body == Array(bytes[half...]))
    }
}
