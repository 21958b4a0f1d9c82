internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// A request to S3.
struct S3Request: Sendable {
    /// The maximum size of small responses, in bytes: errors, and the results of writes.
    static let smallAnswer = 64 << 10

    var method: HTTPMethod
    /// The key of an object, with the prefix; nil for the bucket.
    var key: String?
    var query: [(name: String, value: String)] = []
    /// The headers other than those of the signature, with lower-case names.
    var headers: [(name: String, value: String)] = []
    var body = ByteBuffer()
    /// The maximum size of the response, in bytes.
    var maxAnswerBytes = Self.smallAnswer
    /// Whether the response is a document. A document can report an error that occurred after the response's status was
    /// sent.
    var isAnsweredByDocument = false
    /// The time limit for one attempt.
    var attemptLimit = Duration.seconds(60)

    /// The name of the request in errors.
    var name: String { "\(method.rawValue) \(key ?? "the bucket")" }
}

/// A successful response from S3.
struct S3Answer: Sendable {
    let headers: HTTPHeaders
    let body: ByteBuffer
    /// The body, if it is a document.
    let document: S3Document?
    /// The number of attempts.
    let attempts: Int

    /// The server's time, or this machine's time if the response contains none.
    var date: Date { headers.first(name: "date").flatMap { S3Time.header($0) } ?? Date() }
}
