internal import CloudKitModel
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import ServiceMessages

/// The digests of a request's body: `Content-Digest` (RFC 9530, SHA-256) and `Content-MD5`. Only those that the client
/// announced are computed.
struct ContentDigests: Sendable {
    private let expectedSHA256: AssetChecksum?
    private let expectedMD5: Data?
    private var sha256: SHA256?
    private var md5: Insecure.MD5?

    /// Reads the announced digests.
    ///
    /// - Throws: `upload_header_invalid`.
    init(_ headers: HTTPFields) throws(ServerError) {
        expectedSHA256 = try Self.sha256(headers, .contentDigest)
        if let text = headers[.contentMD5] {
            guard let digest = Data(base64Encoded: text), digest.count == Insecure.MD5.byteCount else {
                throw .uploadHeaderInvalid(.contentMD5, "must be an MD5 digest in base64")
            }
            expectedMD5 = digest
        } else {
            expectedMD5 = nil
        }
        sha256 = expectedSHA256.map { _ in SHA256() }
        md5 = expectedMD5.map { _ in Insecure.MD5() }
    }

    /// Updates the digests with bytes of the body.
    mutating func update(_ bytes: ByteBuffer) {
        bytes.withUnsafeReadableBytes {
            sha256?.update(bufferPointer: $0)
            md5?.update(bufferPointer: $0)
        }
    }

    /// Compares the announced digests with those of the body.
    ///
    /// - Throws: `checksum_mismatch`.
    func verify(field: String) throws(ServerError) {
        if let sha256, AssetChecksum(bytes: Array(sha256.finalize())) != expectedSHA256 {
            throw .checksumMismatch("Content-Digest", field: field)
        }
        if let md5, Data(md5.finalize()) != expectedMD5 { throw .checksumMismatch("Content-MD5", field: field) }
    }

    /// Returns the SHA-256 in a digest header, `sha-256=:<base64>:, …`; nil if there is none. Other algorithms are
    /// ignored.
    ///
    /// - Throws: `upload_header_invalid`.
    static func sha256(_ headers: HTTPFields, _ name: HTTPField.Name) throws(ServerError) -> AssetChecksum? {
        for member in (headers[name] ?? "").split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1)
            guard let key = parts.first, key.trimmingCharacters(in: .whitespaces) == "sha-256" else { continue }
            let value = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            guard value.count >= 2, value.hasPrefix(":"), value.hasSuffix(":"),
                let digest = Data(base64Encoded: String(value.dropFirst().dropLast())).map(Array.init),
                let checksum = AssetChecksum(bytes: digest)
            else { throw .uploadHeaderInvalid(name, "must be sha-256=:<32 bytes in base64>:") }
            return checksum
        }
        return nil
    }
}
