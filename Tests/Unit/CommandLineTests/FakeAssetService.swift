import CloudKitWire
import Foundation
import ServiceMessages
import Synchronization
import TestSupport

@testable import CommandLine

/// What an asset service and a record service for assets have stored, with faults to order. Any thread.
final class FakeAssetStore: Sendable {
    /// What goes wrong.
    struct Faults: Sendable {
        /// Hangs up in the middle of the first so many uploads.
        var cutsUploads = 0
        /// Hangs up in the middle of the first so many downloads.
        var cutsDownloads = 0
        /// Answers downloads with other bytes.
        var spoilsBytes = false
        /// Tells the checksum of other bytes than were uploaded.
        var spoilsReceipts = false
        /// Does not know ranges.
        var ignoresRanges = false
        /// Refuses uploads.
        var refusesUploads = false
        /// Acknowledges every nth save without doing it.
        var dropsEvery = 0
        /// Forgets the bytes of every nth upload.
        var losesEvery = 0
        /// Deletes no content.
        var keepsEverything = false
        /// Answers downloads of forgotten bytes as a service does that knows the content but has no file.
        var losesFilesOnly = false
    }

    private struct State {
        var faults: Faults
        var blobs: [String: [UInt8]] = [:]
        var records: [String: JSONValue] = [:]
        var saveCount = 0
        var uploadCount = 0
        var ranges: [String] = []
    }

    private let state: Mutex<State>

    init(_ faults: Faults = Faults()) { state = Mutex(State(faults: faults)) }

    /// The ranges that downloads asked for.
    var ranges: [String] { state.withLock(\.ranges) }
    /// How many contents there are.
    var blobCount: Int { state.withLock { $0.blobs.count } }

    /// Whether an upload's body is read to its end.
    func takesBody(_ path: String) -> Bool {
        state.withLock { state in
            guard path.hasPrefix("/upload"), state.faults.cutsUploads > 0 else { return true }
            state.faults.cutsUploads -= 1
            return false
        }
    }

    /// The answer to an upload or download.
    func answer(_ request: FakeHTTPServer.Request) -> FakeHTTPServer.Response {
        guard request.path.hasPrefix("/download/") else {
            let refuses = state.withLock(\.faults.refusesUploads)
            return refuses
                ? FakeHTTPServer.Response(
                    status: 413,
                    body: Array(
                        #"{"serverErrorCode":"BAD_REQUEST","reason":"too large","field":"photo","limit":5}"#.utf8))
                : FakeHTTPServer.Response(body: store(request.body).encoded())
        }
        return state.withLock { state in
            let name = String(request.path.split(separator: "/")[1])
            guard var bytes = state.blobs[name] else {
                if state.faults.losesFilesOnly {
                    return FakeHTTPServer.Response(
                        status: 503,
                        body: Array(
                            #"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"x","reasonCode":"asset_not_available"}"#
                                .utf8))
                }
                return FakeHTTPServer.Response(
                    status: 404, body: Array(#"{"serverErrorCode":"NOT_FOUND","reason":"gone"}"#.utf8))
            }
            if state.faults.spoilsBytes, !bytes.isEmpty { bytes[bytes.count / 2] ^= 1 }
            var response = FakeHTTPServer.Response(body: bytes)
            if let range = request.headers["range"] {
                state.ranges.append(range)
                if !state.faults.ignoresRanges {
                    response.status = 206
                    response.body = Array(bytes[(Int(range.dropFirst("bytes=".count).dropLast()) ?? 0)...])
                }
            }
            if state.faults.cutsDownloads > 0 {
                state.faults.cutsDownloads -= 1
                response.isCutOffAfter = response.body.count / 2
            }
            return response
        }
    }

    /// Stores bytes; the answer to their upload.
    func store(_ bytes: [UInt8]) -> JSONValue {
        let source = AssetBytes(bytes)
        return state.withLock { state in
            state.uploadCount += 1
            if state.faults.losesEvery == 0 || state.uploadCount % state.faults.losesEvery != 0 {
                state.blobs[source.checksum.hex] = bytes
            } else {
                state.blobs[source.checksum.hex] = nil
            }
            let told = state.faults.spoilsReceipts ? AssetBytes(bytes + [0]).checksum : source.checksum
            return [
                "singleFile": [
                    "fileChecksum": .string(told.fileChecksum), "size": .int(source.size), "receipt": "r",
                    "referenceChecksum": "x", "wrappingKey": "y",
                ]
            ]
        }
    }

    /// A receipt for a content, or that there is none.
    func receipt(_ fileChecksum: JSONValue) -> JSONValue {
        let bytes = fileChecksum.string.flatMap { AssetChecksum($0) }.flatMap { checksum in
            state.withLock { $0.blobs[checksum.hex] }
        }
        return bytes.flatMap { store($0)["singleFile"] }
            ?? ["fileChecksum": fileChecksum, "serverErrorCode": "NOT_FOUND", "reason": "x"]
    }

    /// Does one operation of a `records/modify`.
    func modify(_ operation: JSONValue) -> JSONValue {
        state.withLock { state in
            let record = operation["record"] ?? .null
            let name = record["recordName"]?.string ?? ""
            state.saveCount += 1
            let isDropped = state.faults.dropsEvery > 0 && state.saveCount % state.faults.dropsEvery == 0
            if !isDropped { state.records[name] = operation["operationType"]?.string == "forceDelete" ? nil : record }
            return ["recordName": .string(name)]
        }
    }

    /// A record as it was saved.
    func saved(_ name: String) -> JSONValue? { state.withLock { $0.records[name] } }

    /// Whether a content is there: as long as a record has it, unless nothing is ever deleted.
    func isKept(_ hex: String) -> Bool {
        state.withLock { state in
            if state.faults.keepsEverything { return state.blobs[hex] != nil }
            return state.records.values.contains { record in
                (record["fields"]?.members ?? []).contains { field in
                    field.value["value"]?["fileChecksum"]?.string.flatMap { AssetChecksum($0) }?.hex == hex
                }
            }
        }
    }

    /// A record as a lookup gives it, its assets with addresses at `url`.
    func record(_ name: String, url: String) -> JSONValue {
        guard let record = state.withLock({ $0.records[name] }) else {
            return ["recordName": .string(name), "serverErrorCode": "NOT_FOUND", "reason": "Record not found"]
        }
        let fields = (record["fields"]?.members ?? []).map { field -> JSONValue.Member in
            let value = field.value["value"] ?? .null
            let assets = (value.array ?? [value]).map { asset -> JSONValue in
                let checksum = asset["fileChecksum"]?.string.flatMap { AssetChecksum($0) }
                return [
                    "fileChecksum": asset["fileChecksum"] ?? .null, "size": asset["size"] ?? .null,
                    "downloadURL": .string("\(url)/download/\(checksum?.hex ?? "")/${f}"),
                ]
            }
            return JSONValue.Member(field.key, ["value": value.array == nil ? assets[0] : .array(assets)])
        }
        return ["recordName": .string(name), "fields": .object(fields)]
    }
}

/// Answers for a ``FakeAssetStore`` as the services do, in this process and over HTTP.
struct FakeAssetService: Requester {
    let store: FakeAssetStore
    let server: FakeHTTPServer

    init(_ faults: FakeAssetStore.Faults = FakeAssetStore.Faults()) {
        let store = FakeAssetStore(faults)
        self.store = store
        server = FakeHTTPServer(takesBody: { store.takesBody($0) }, { store.answer($0) })
    }

    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        if request.operation == .assetsPut { return good(store.store(request.body)) }
        let body = try Answer(status: 200, body: request.body, attempts: 1).json()
        switch request.operation {
        case .assetsUpload:
            return good([
                "tokens": .array(
                    (body["tokens"]?.array ?? []).map { token in
                        [
                            "recordName": token["recordName"] ?? "made", "fieldName": token["fieldName"] ?? .null,
                            "url": .string("\(server.url)/upload/ticket"),
                        ]
                    })
            ])
        case .recordsModify: return good(["records": .array((body["operations"]?.array ?? []).map(store.modify))])
        case .recordsLookup:
            return good([
                "records": .array(
                    (body["records"]?.array ?? []).map { record in
                        store.record(record["recordName"]?.string ?? "", url: server.url)
                    })
            ])
        case .assetsRereference:
            let name = body["assets"]?[0]?["recordName"]?.string ?? ""
            let asset = store.saved(name)?["fields"]?[AssetLoadPlan.field]?["value"] ?? .null
            return good(["assets": [store.receipt(asset["fileChecksum"] ?? .null)]])
        case .assetsStat:
            let isKept = store.isKept(body["checksum"]?.string ?? "")
            guard isKept else { throw .refused(RequestFailure.Refusal(["serverErrorCode": "NOT_FOUND"])!) }
            return good(["state": "live"])
        case .assetsReceipt:
            return good(["assets": .array((body["fileChecksums"]?.array ?? []).map(store.receipt))])
        case .zonesModify: return good(["zones": []])
        default: throw .unanswered(reason: "not served")
        }
    }

    private func good(_ json: JSONValue) -> Answer { Answer(status: 200, body: json.encoded(), attempts: 1) }
}

/// A folder that goes away.
final class TestFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "zonda-cli-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file; returns its path.
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    /// The names in the folder.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}
