internal import Crypto
internal import Foundation
internal import GatewayStorage

/// A server-to-server signature of a request: ECDSA with P-256 and SHA-256 over the text `date:hash of the
/// body:subpath` (web-services 4.4).
struct RequestSignature: Sendable {
    /// The maximum difference between the date and the current time, in milliseconds.
    static let window: Int64 = 10 * 60_000

    /// The reason for refusing a signature. The reason is logged; clients receive the same text for all reasons.
    enum Fault: String, Error {
        case headerMissing = "a signature header is missing"
        case keyIDMalformed = "the key ID is not 64 hexadecimal digits"
        case dateMalformed = "the date is not ISO 8601"
        case dateOutsideWindow = "the date differs from the current time by more than 10 minutes"
        case signatureMalformed = "the signature is not DER in base64"
        case keyUnknown = "the key is unknown or revoked, or belongs to another container or environment"
        case keyDamaged = "the stored key cannot be read"
        case signatureWrong = "the signature was made with another key, or for another date, body or path"
    }

    /// The key's id, in lower case.
    let keyID: String
    private let date: String
    private let signature: P256.Signing.ECDSASignature

    /// Reads the header fields of a signature.
    ///
    /// - Parameter now: the current time, in milliseconds since 1970.
    /// - Throws: ``Fault``.
    init(_ headers: SignatureHeaders, at now: Int64) throws(Fault) {
        guard let keyID = headers.keyID, let date = headers.date, let signature = headers.signature else {
            throw .headerMissing
        }
        guard APIToken.isToken(keyID) else { throw .keyIDMalformed }
        guard let time = Self.milliseconds(date) else { throw .dateMalformed }
        guard abs(now - time) <= Self.window else { throw .dateOutsideWindow }
        guard let bytes = Data(base64Encoded: signature),
            let parsed = try? P256.Signing.ECDSASignature(derRepresentation: bytes)
        else { throw .signatureMalformed }
        (self.keyID, self.date, self.signature) = (keyID.lowercased(), date, parsed)
    }

    /// Verifies the signature of a request.
    ///
    /// Clients differ in two respects. Some sign the query and some do not. If there is no body, some use the hash of
    /// zero bytes and others leave the hash empty. All of these forms are accepted.
    ///
    /// - Parameter target: the path and the query as they were sent.
    ///
    /// - Throws: ``Fault/signatureWrong``.
    func verify(target: String, body: [UInt8], with key: P256.Signing.PublicKey) throws(Fault) {
        var paths = [target[...]]
        if let query = target.firstIndex(of: "?") { paths.append(target[..<query]) }
        var hashes = [Data(SHA256.hash(data: body)).base64EncodedString()]
        if body.isEmpty { hashes.append("") }
        for path in paths {
            for hash in hashes where key.isValidSignature(signature, for: Data("\(date):\(hash):\(path)".utf8)) {
                return
            }
        }
        throw .signatureWrong
    }

    /// Parses an ISO 8601 date with a time zone, with or without fractions of a second. Returns milliseconds since
    /// 1970.
    private static func milliseconds(_ text: String) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        for fractions in [false, true] {
            if let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: fractions).parse(text) {
                return Int64((date.timeIntervalSince1970 * 1000).rounded())
            }
        }
        return nil
    }
}
