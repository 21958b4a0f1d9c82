package import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages
import Synchronization
package import TestSupport

/// What an asset service and a record service for assets have stored, with faults to order. Any thread.
package final class FakeAssetStore: Sendable {
    /// What goes wrong.
    package struct Faults: Sendable {
        /// Hangs up in the middle of a number of first uploads.
        package var cutsUploads = 0
        /// Hangs up in the middle of a number of first downloads.
        package var cutsDownloads = 0
        /// Answers downloads with other bytes.
        package var spoilsBytes = false
        /// Answers with the checksum of other bytes than were uploaded.
        package var spoilsReceipts = false
        /// Does not know ranges.
        package var ignoresRanges = false
        /// Refuses uploads.
        package var refusesUploads = false
        /// Acknowledges every nth save without doing it.
        package var dropsEvery = 0
        /// Forgets the bytes of every nth upload.
        package var losesEvery = 0
        /// Deletes no content.
        package var keepsEverything = false
        /// Answers downloads of forgotten bytes as a service does that knows the content but has no file.
        package var losesFilesOnly = false
    }

    private struct State {
        package var faults: Faults
        package var blobs: [String: [UInt8]] = [:]
        package var records: [String: JSONValue] = [:]
        package var saveCount = 0
        package var uploadCount = 0
        package var ranges: [String] = []
    }

    private let state: Mutex<State>

    package init(_ faults: Faults = Faults()) { state = Mutex(State(faults: faults)) }

    /// The ranges that downloads asked for.
    package var ranges: [String] { state.withLock(\.ranges) }
    /// How many contents there are.
    package var blobCount: Int { state.withLock { $0.blobs.count } }

    /// Whether an upload's body is read to its end.
    package func takesBody(_ path: String) -> Bool {
        state.withLock { state in
            guard path.hasPrefix("/upload"), state.faults.cutsUploads > 0 else { return true }
            state.faults.cutsUploads -= 1
            return false
        }
    }

    /// The answer to an upload or download.
    package func answer(_ request: FakeHTTPServer.Request) -> FakeHTTPServer.Response {
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
    package func store(_ bytes: [UInt8]) -> JSONValue {
        let source = AssetBytes(bytes)
        return state.withLock { state in
            state.uploadCount += 1
            if state.faults.losesEvery == 0 || state.uploadCount % state.faults.losesEvery != 0 {
                state.blobs[source.checksum.hex] = bytes
            } else {
                state.blobs[source.checksum.hex] = nil
            }
            let reported = state.faults.spoilsReceipts ? AssetBytes(bytes + [0]).checksum : source.checksum
            return [
                "singleFile": [
                    "fileChecksum": .string(reported.fileChecksum), "size": .int(source.size), "receipt": "r",
                    "referenceChecksum": "x", "wrappingKey": "y",
                ]
            ]
        }
    }

    /// A receipt for a content, or that there is none.
    package func receipt(_ fileChecksum: JSONValue) -> JSONValue {
        let bytes = fileChecksum.string.flatMap { AssetChecksum($0) }.flatMap { checksum in
            state.withLock { $0.blobs[checksum.hex] }
        }
        return bytes.flatMap { store($0)["singleFile"] }
            ?? ["fileChecksum": fileChecksum, "serverErrorCode": "NOT_FOUND", "reason": "x"]
    }

    /// Does one operation of a `records/modify`.
    package func modify(_ operation: JSONValue) -> JSONValue {
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
    package func saved(_ name: String) -> JSONValue? { state.withLock { $0.records[name] } }

    /// Whether a content is there: as long as a record has it, unless nothing is ever deleted.
    package func isKept(_ hex: String) -> Bool {
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
    package func record(_ name: String, url: String) -> JSONValue {
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
