import AMQPClient
import CloudKitWire
import Crypto
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

/// The operations of clients on assets.
extension TestClient {
    /// Returns the URL of an upload for `field`.
    func uploadURL(_ field: String = "file") async throws -> String {
        let reply = try await ask(
            .assetsUpload, ["tokens": [["recordType": "Note", "fieldName": .string(field)]]])
        try #require(reply.status == 200, "\(reply.body)")
        return try #require(reply["tokens"]?[0]?["url"]?.string)
    }

    /// Uploads over HTTP.
    ///
    /// - Returns: the dictionary to save in a record.
    func upload(_ bytes: [UInt8], field: String = "file") async throws -> JSONValue {
        let response = try await AssetClient.upload(bytes, to: try await uploadURL(field))
        return try #require(response.json["singleFile"], "\(response.status) \(response.json)")
    }

    /// Uploads in a message.
    func put(_ bytes: [UInt8]) async throws -> TestReply {
        try await ask(message(.assetsPut, bytes, messageID: nil))
    }

    /// Returns the download address of the asset in a record's field.
    func downloadURL(_ zone: String, _ name: String, _ field: String = "file") async throws -> String {
        let record = try await record(zone, name)
        return try #require(record.values[field]?["downloadURL"]?.string, "\(record)")
    }

    /// Downloads the bytes of the asset in a record's field.
    func bytes(_ zone: String, _ name: String, _ field: String = "file") async throws -> [UInt8] {
        let response = try await AssetClient.get(try await downloadURL(zone, name, field))
        try #require(response.status == 200, "\(response.status) \(response.json)")
        return response.body
    }
}

extension ServiceStack {
    /// The names of the blobs' files.
    var blobFiles: [String] { files(in: "blobs") }
    /// The names of the files of unfinished uploads.
    var incomingFiles: [String] { files(in: "incoming") }

    /// The number of bytes of uploads that can be resumed.
    var partialBytes: Int {
        files(in: "partial").reduce(0) { sum, name in
            let path = assetFolder.appending(path: "partial/\(name)").path
            return sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
        }
    }

    private func files(in folder: String) -> [String] {
        let all = FileManager.default.enumerator(
            at: assetFolder.appending(path: folder), includingPropertiesForKeys: [.isRegularFileKey])
        return (all?.allObjects ?? []).compactMap { $0 as? URL }.filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
        }.map(\.lastPathComponent)
    }

    /// Returns the number of rows for a content.
    func blobRows(of bytes: [UInt8]) async throws -> Int64 {
        let rows = try await database.query(
            "select count(*) from asset.blob where sha256 = $1", [.bytea(Array(SHA256.hash(data: bytes)))])
        return try #require(rows.first?.int64(0))
    }
}

/// Returns random bytes, which no other content has.
func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
    return Array(bytes.prefix(count))
}
