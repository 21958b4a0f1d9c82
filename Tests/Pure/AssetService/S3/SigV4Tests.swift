import Foundation
import ServiceRuntime
import Testing

@testable import AssetService
@testable import BlobStorage

/// Amazon's published vectors: the suite "aws-sig-v4-test-suite", and the examples of "Authenticating Requests: Using
/// the Authorization Header" in the S3 reference.
struct SigV4Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        var path = "/"
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var payload = ""
        let signature: String
    }

    static let suite = [
        Vector(
            testDescription: "get-vanilla",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            testDescription: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            testDescription: "get-vanilla-query-unreserved",
            query: [
                (
                    "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                    "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                )
            ], signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Vector(
            testDescription: "get-vanilla-utf8-query", query: [("ሴ", "bar")],
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            testDescription: "get-utf8", path: "/ሴ",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            testDescription: "get-space", path: "/example space/",
            signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        Vector(
            testDescription: "get-header-value-trim",
            headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            testDescription: "post-vanilla", method: "POST",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            testDescription: "post-x-www-form-urlencoded", method: "POST",
            headers: [("Content-Type", "application/x-www-form-urlencoded")], payload: "Param1=value1",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    ]

    @Test(arguments: suite)
    func theSuiteIsSignedAsPublished(vector: Vector) {
        let signer = SigV4(
            accessKey: "AKIDEXAMPLE", secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "service")
        let headers = [("Host", "example.amazonaws.com"), ("X-Amz-Date", "20150830T123600Z")]
        let authorization = signer.authorization(
            for: SigV4.Request(
                method: vector.method, path: SigV4.encoded(vector.path, keepingSlashes: true), query: vector.query,
                headers: headers + vector.headers, payloadHash: SigV4.hash(Array(vector.payload.utf8))),
            at: S3Time.Stamp(Date(timeIntervalSince1970: 1_440_938_160)))
        #expect(authorization.hasSuffix("Signature=\(vector.signature)"))
    }

    static let examples = [
        Vector(
            testDescription: "GET object", path: "/test.txt", headers: [("range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Vector(
            testDescription: "PUT object", method: "PUT", path: "/test$file.text",
            headers: [
                ("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], payload: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Vector(
            testDescription: "GET bucket lifecycle", query: [("lifecycle", "")],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Vector(
            testDescription: "GET bucket (list objects)", query: [("max-keys", "2"), ("prefix", "J")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples)
    func theExamplesOfS3AreSignedAsDocumented(vector: Vector) {
        let signer = SigV4(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1")
        let hash = SigV4.hash(Array(vector.payload.utf8))
        let authorization = signer.authorization(
            for: SigV4.Request(
                method: vector.method, path: SigV4.encoded(vector.path, keepingSlashes: true), query: vector.query,
                headers: vector.headers + [
                    ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-date", "20130524T000000Z"),
                    ("x-amz-content-sha256", hash),
                ], payloadHash: hash),
            at: S3Time.Stamp(Date(timeIntervalSince1970: 1_369_353_600)))
        #expect(authorization.hasSuffix("Signature=\(vector.signature)"))
        #expect(authorization.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"))
    }
}
