package import CloudKitModel
internal import CloudKitWire
package import HTTPTypes

/// The response to a request that fails as a whole (web-services 2.2): JSON, with a `Retry-After` header if the error
/// has a `retryAfter`.
package struct ErrorAnswer: Sendable {
    /// The media type of JSON documents.
    package static let contentType = "application/json; charset=UTF-8"

    package let status: Int
    /// The headers of this response. The server adds the headers that are common to all responses.
    package let headers: HTTPFields
    package let body: [UInt8]

    /// Creates the response.
    ///
    /// - Parameters:
    ///   - requestID: the id of the request.
    ///   - redirectURL: the URL at which the user can sign in; nil unless the user must sign in.
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
