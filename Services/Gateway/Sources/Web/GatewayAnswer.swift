internal import CloudKitModel
internal import HTTPServing
internal import HTTPTypes

/// A complete HTTP response: JSON or a page.
struct GatewayAnswer: Sendable {
    /// The HTTP status.
    var status: Int
    /// The header fields, except those that ``GatewayResponder`` adds to every response.
    var headers: HTTPFields
    /// The body.
    var body: [UInt8]
    /// The error for the whole request; nil for other responses.
    var error: ServerError?

    /// Creates a response with a JSON body.
    init(status: Int = 200, json body: [UInt8], headers: HTTPFields = [:]) {
        self.status = status
        self.headers = headers
        self.headers[.contentType] = ErrorAnswer.contentType
        self.body = body
    }

    /// Creates a response with a page or other text.
    init(status: Int = 200, contentType: String, _ body: [UInt8], headers: HTTPFields = [:]) {
        self.status = status
        self.headers = headers
        self.headers[.contentType] = contentType
        self.body = body
    }

    /// Creates the response for an error that affects the whole request (web-services 2.2).
    init(_ error: ServerError, requestID: String, redirectURL: String? = nil) {
        let answer = ErrorAnswer(error, requestID: requestID, redirectURL: redirectURL)
        (status, headers, body) = (answer.status, answer.headers, answer.body)
        self.error = error
    }
}
