internal import CloudKitModel
internal import CloudKitWire
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
        self.headers[.contentType] = "application/json; charset=UTF-8"
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
        var writer = WireWriter()
        writer.isForWeb = true
        writer.requestError(error, uuid: requestID, redirectURL: redirectURL)
        self.init(status: error.code.httpStatus, json: writer.bytes)
        headers[.retryAfter] = error.retryAfter.map(String.init)
        self.error = error
    }
}
