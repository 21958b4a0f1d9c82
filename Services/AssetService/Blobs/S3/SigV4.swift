internal import Crypto
internal import Foundation
internal import ServiceRuntime

/// Signs requests with AWS Signature Version 4, in the `Authorization` header.
///
/// It has no side effects: the caller provides the time and the hash of the payload. All given headers are signed.
struct SigV4: Sendable {
    let accessKey: String
    let secretKey: Secret
    let region: String
    var service = "s3"

    /// The signed parts of a request.
    struct Request: Sendable {
        var method: String
        /// The path of the request, percent-encoded.
        var path: String
        /// Names and values, not encoded.
        var query: [(name: String, value: String)] = []
        /// All signed headers. They must include `host` and every `x-amz-…` header.
        var headers: [(name: String, value: String)] = []
        /// The SHA-256 of the body in hexadecimal.
        var payloadHash: String
    }

    /// Returns the value of the `Authorization` header.
    func authorization(for request: Request, at time: S3Time.Stamp) -> String {
        let headers = Self.canonicalHeaders(request.headers)
        let names = headers.map(\.name).joined(separator: ";")
        let canonical = [
            request.method, request.path, Self.queryText(request.query),
            headers.map { "\($0.name):\($0.value)\n" }.joined(), names, request.payloadHash,
        ].joined(separator: "\n")
        let scope = "\(time.day)/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(time.text)\n\(scope)\n\(Self.hash(Array(canonical.utf8)))"
        var key = SymmetricKey(data: Array("AWS4\(secretKey.text)".utf8))
        for part in [time.day, region, service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        let signature = Self.hexadecimal(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
        return "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
    }

    /// Returns the query as it is signed and sent: encoded, and sorted by name.
    static func queryText(_ query: [(name: String, value: String)]) -> String {
        let pairs = query.map { (name: encoded($0.name), value: encoded($0.value)) }
        return pairs.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Percent-encodes all bytes that are not unreserved characters of RFC 3986.
    static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: "/") where keepingSlashes:
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digit(byte >> 4, "A"), digit(byte & 15, "A")]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the SHA-256 in hexadecimal.
    static func hash(_ bytes: some DataProtocol) -> String { hexadecimal(SHA256.hash(data: bytes)) }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digit($0 >> 4, "a"), digit($0 & 15, "a")] }, as: UTF8.self)
    }

    private static func digit(_ value: UInt8, _ ten: Unicode.Scalar) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: ten) + value - 10
    }

    /// Returns the headers sorted by name. The values of headers with the same name are joined, and runs of spaces are
    /// collapsed.
    private static func canonicalHeaders(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)]
    {
        var values: [String: [String]] = [:]
        for header in headers {
            values[header.name.lowercased(), default: []]
                .append(header.value.split(separator: " ").joined(separator: " "))
        }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: ",")) }
    }
}
