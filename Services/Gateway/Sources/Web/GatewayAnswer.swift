internal import CloudKitModel
internal import HTTPServing
internal import HTTPTypes

/// An answer over HTTP, whole: JSON, or a page.
struct GatewayAnswer: Sendable {
    /// The status.
    var status: Int
    /// Beside what every answer has (``GatewayResponder``).
    var headers: HTTPFields
    /// The body.
    var body: [UInt8]
    /// The error that it tells, if it tells one of the whole request.
    var error: ServerError?

    /// JSON.
    init(status: Int = 200, json body: [UInt8], headers: HTTPFields = [:]) {
        self.status = status
        self.headers = headers
        self.headers[.contentType] = ErrorAnswer.contentType
        self.body = body
    }

    /// A page or another text.
    init(status: Int = 200, contentType: String, _ body: [UInt8], headers: HTTPFields = [:]) {
        self.status = status
        self.headers = headers
        self.headers[.contentType] = contentType
        self.body = body
    }

    /// An error of the whole request (web-services 2.2).
    init(_ error: ServerError, requestID: String, redirectURL: String? = nil) {
        let answer = ErrorAnswer(error, requestID: requestID, redirectURL: redirectURL)
        (status, headers, body) = (answer.status, answer.headers, answer.body)
        self.error = error
    }
}
