internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// What S3 is asked.
struct S3Request: Sendable {
    /// What is read of an answer whose body is not asked for: errors, and the results of writing.
    static let smallAnswer = 64 << 10

    var method: HTTPMethod
    /// An object, with the prefix; nil for the bucket.
    var key: String?
    var query: [(name: String, value: String)] = []
    /// Beside those of the signature; names in lower case.
    var headers: [(name: String, value: String)] = []
    var body = ByteBuffer()
    /// More than that is an error, bytes.
    var maxAnswerBytes = Self.smallAnswer
    /// Whether the answer is a document, which may also tell of an error that came up after its status was sent.
    var isAnsweredByDocument = false
    /// How long one attempt may take.
    var attemptLimit = Duration.seconds(60)

    /// For errors.
    var name: String { "\(method.rawValue) \(key ?? "the bucket")" }
}

/// What S3 answered, with success.
struct S3Answer: Sendable {
    let headers: HTTPHeaders
    let body: ByteBuffer
    /// The body, if it is a document.
    let document: S3Document?
    /// How often it was asked.
    let attempts: Int

    /// The server's clock; ours when it does not tell.
    var date: Date { headers.first(name: "date").flatMap { S3Time.header($0) } ?? Date() }
}
