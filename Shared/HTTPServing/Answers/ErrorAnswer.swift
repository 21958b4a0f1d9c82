package import CloudKitModel
internal import CloudKitWire
package import HTTPTypes

/// The answer to a request that fails as a whole (web-services 2.2): JSON, with `Retry-After` if the error has it.
package struct ErrorAnswer: Sendable {
    /// The media type of JSON documents.
    package static let contentType = "application/json; charset=UTF-8"

    package let status: Int
    /// The headers of the error. The server adds the common headers of all answers.
    package let headers: HTTPFields
    package let body: [UInt8]

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - requestID: the id of the request.
    ///   - redirectURL: the URL at which the user can sign in; nil when the error is not about the user.
    package init(_ error: ServerError, requestID: String, redirectURL: String? = nil) {
        var writer = WireWriter()
        writer.isForWeb = true
        writer.requestError(error, uuid: requestID, redirectURL: redirectURL)
        body = writer.bytes
        status = error.code.httpStatus
        var headers: HTTPFields = [.contentType: Self.contentType]
        headers[.retryAfter] = error.retryAfter.map(String.init)
        self.headers = headers
    }
}
