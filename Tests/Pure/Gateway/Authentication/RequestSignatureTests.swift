import Crypto
import Foundation
import GatewayTestSupport
import Testing

@testable import Gateway

@Suite struct RequestSignatureTests {
    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1EWfXdSoDN4nU2HXOpxDgYRR4DNM
        peDRZlLhJhtCJroSsvLyen9KEUTGDZ8KQlEZP6GyZHaqnAQyBuhbnIFl/g==
        -----END PUBLIC KEY-----
        """
    private static let path = "/database/1/iCloud.org.example.Notes/development/public/records/query"
    private static let query = "?ckjsBuildVersion=2420ProjectDev22&ckjsVersion=2.6.4"
    private static let body = Array(#"{"query":{"recordType":"Note"}}"#.utf8)
    private static let date = "2026-01-15T09:30:00Z"
    private static let dateMilliseconds: Int64 = 1_768_469_400_000
    private static let keyID = String(repeating: "0a", count: 32)
    /// The test vectors of web-services 4.4: a signature of the path, and one of the path and query.
    private static let overPath =
        "MEQCIC+A3VfuVTewiYpcHCS1FQ7YSEWSTzrD+ZSVAA1dI8WqAiB5lbG5MrlPHfzZhQjDfVniwdfpu8qV1A3Pyg3v5scqYA=="
    private static let overQuery =
        "MEQCIGGB2XsJwOdVyij8ulXZJcuIiMYlY0zE3CXJGJosdC9uAiBiVtI/ggFBLwL89tU9h6zmYJfabi9ApIH3hEwFRIGdbA=="

    private let key: P256.Signing.PublicKey

    init() throws { key = try P256.Signing.PublicKey(pemRepresentation: Self.pem) }

    private func verify(
        _ signature: String, target: String = path, body: [UInt8] = body, date: String = date,
        at now: Int64 = dateMilliseconds, with key: P256.Signing.PublicKey? = nil
    ) throws(RequestSignature.Fault) {
        var headers = SignatureHeaders(.signature(keyID: Self.keyID, date: date, signature: signature))
        headers?.keyID = Self.keyID
        guard let headers else { throw .headerMissing }
        try RequestSignature(headers, at: now).verify(target: target, body: body, with: key ?? self.key)
    }

    @Test func theVectorsVerify() throws {
        try verify(Self.overPath)
        try verify(Self.overPath, target: Self.path + Self.query)
        try verify(Self.overQuery, target: Self.path + Self.query)
    }

    @Test func theQueryMayBeSignedOrNot() {
        #expect(throws: RequestSignature.Fault.signatureWrong) { try verify(Self.overQuery) }
        #expect(throws: RequestSignature.Fault.signatureWrong) {
            try verify(Self.overQuery, target: Self.path + Self.query + "&clientId=1")
        }
    }

    @Test func aChangeOfAnyByteIsDetected() {
        for position in Self.body.indices {
            var body = Self.body
            body[position] ^= 1
            #expect(throws: RequestSignature.Fault.signatureWrong, "body at \(position)") {
                try verify(Self.overPath, body: body)
            }
        }
        let target = Array(Self.path.utf8)
        for position in target.indices {
            var changed = target
            changed[position] ^= 1
            #expect(throws: RequestSignature.Fault.signatureWrong, "path at \(position)") {
                try verify(Self.overPath, target: String(decoding: changed, as: UTF8.self))
            }
        }
        #expect(throws: RequestSignature.Fault.signatureWrong) { try verify(Self.overPath, body: []) }
        #expect(throws: RequestSignature.Fault.signatureWrong) {
            try verify(Self.overPath, date: "2026-01-15T09:30:01Z")
        }
        #expect(throws: RequestSignature.Fault.signatureWrong) {
            try verify(Self.overPath, with: P256.Signing.PrivateKey().publicKey)
        }
    }

    @Test(arguments: [
        (-600_000, true), (600_000, true), (0, true), (-600_001, false), (600_001, false), (86_400_000, false),
    ])
    func theDateMayDifferByTenMinutes(offset: Int64, isGood: Bool) throws {
        if isGood {
            try verify(Self.overPath, at: Self.dateMilliseconds + offset)
        } else {
            #expect(throws: RequestSignature.Fault.dateOutsideWindow) {
                try verify(Self.overPath, at: Self.dateMilliseconds + offset)
            }
        }
    }

    @Test(arguments: [true, false])
    func anAbsentBodyIsHashedAsNothingOrNotAtAll(isHashed: Bool) throws {
        let signer = P256.Signing.PrivateKey()
        let hash = isHashed ? "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" : ""
        let message = Data("\(Self.date):\(hash):\(Self.path)".utf8)
        let signature = try signer.signature(for: message).derRepresentation.base64EncodedString()
        try verify(signature, target: Self.path + "?clientId=1", body: [], with: signer.publicKey)
        #expect(throws: RequestSignature.Fault.signatureWrong) {
            try verify(signature, body: Array("{}".utf8), with: signer.publicKey)
        }
    }

    @Test(arguments: ["2026-01-15T09:30:00.250Z", "2026-01-15T10:30:00+01:00", "2026-01-15T09:30:00+00:00"])
    func datesWithAndWithoutFractionsAndOffsetAreRead(date: String) throws {
        let signer = P256.Signing.PrivateKey()
        let hash = Data(SHA256.hash(data: Self.body)).base64EncodedString()
        let signature = try signer.signature(for: Data("\(date):\(hash):\(Self.path)".utf8))
        try verify(signature.derRepresentation.base64EncodedString(), date: date, with: signer.publicKey)
    }

    @Test(
        arguments: [
            (nil, date, overPath, .headerMissing), (keyID, nil, overPath, .headerMissing),
            (keyID, date, nil, .headerMissing), ("abc", date, overPath, .keyIDMalformed),
            (String(repeating: "g", count: 64), date, overPath, .keyIDMalformed),
            (keyID, "yesterday", overPath, .dateMalformed), (keyID, "", overPath, .dateMalformed),
            (keyID, date, "!", .signatureMalformed), (keyID, date, "AAAA", .signatureMalformed),
            (keyID, date, "", .signatureMalformed),
        ] as [(String?, String?, String?, RequestSignature.Fault)])
    func malformedHeadersAreRefused(
        keyID: String?, date: String?, signature: String?, fault: RequestSignature.Fault
    ) throws {
        let headers = try #require(
            SignatureHeaders(.signature(keyID: keyID, date: date, signature: signature)))
        #expect(throws: fault) { try RequestSignature(headers, at: Self.dateMilliseconds) }
    }
}
