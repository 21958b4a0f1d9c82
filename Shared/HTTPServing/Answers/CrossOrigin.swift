package import HTTPTypes

/// The headers that allow pages from other origins to send requests and read the responses.
package struct CrossOrigin: Sendable {
    /// The allowed origins.
    package enum Origins: Sendable {
        /// All origins, without credentials.
        case any
        /// All origins, with credentials. The response repeats the origin of the request.
        case echoed
    }

    private let origins: Origins
    private let exposedHeaders: String
    private let requestHeaders: String

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - exposedHeaders: the response headers that pages may read, separated by commas.
    ///   - requestHeaders: the headers that requests may contain if the preflight request does not name any.
    package init(_ origins: Origins, exposedHeaders: String, requestHeaders: String) {
        self.origins = origins
        self.exposedHeaders = exposedHeaders
        self.requestHeaders = requestHeaders
    }

    /// Adds the headers to a response.
    ///
    /// - Parameter origin: the value of the request's `Origin` header; nil if it is absent.
    package func allow(_ origin: String?, in headers: inout HTTPFields) {
        switch origins {
        case .any: headers[.accessControlAllowOrigin] = "*"
        case .echoed:
            headers.append(HTTPField(name: .vary, value: "Origin"))
            guard let origin else { return }
            headers[.accessControlAllowOrigin] = origin
            headers[.accessControlAllowCredentials] = "true"
        }
        headers[.accessControlExposeHeaders] = exposedHeaders
    }

    /// Returns the headers of the response to `OPTIONS`.
    ///
    /// - Parameters:
    ///   - request: the headers of the request.
    ///   - allow: the methods that the path supports, separated by commas.
    package func preflight(_ request: HTTPFields, allow: String) -> HTTPFields {
        [
            .allow: allow, .accessControlAllowMethods: allow,
            .accessControlAllowHeaders: request[.accessControlRequestHeaders] ?? requestHeaders,
            .accessControlMaxAge: "86400",
        ]
    }
}
