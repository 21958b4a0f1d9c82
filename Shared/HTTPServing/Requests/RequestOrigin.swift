internal import Foundation
package import HTTPTypes
package import ServiceMessages

/// The id and trace context of an HTTP request.
package struct RequestOrigin: Sendable {
    /// A new id for this request. It appears as the `uuid` of an error, in the `X-Apple-Request-UUID` header, and as
    /// the `request` of log lines.
    package let requestID: String
    /// The trace context in the `traceparent` header; nil if the header is missing or malformed.
    package let trace: TraceParent?

    /// Creates an id, and reads the trace context from `headers`.
    package init(_ headers: HTTPFields) {
        requestID = UUID().uuidString.lowercased()
        trace = HTTPField.Name(Header.trace).flatMap { headers[$0] }.flatMap { TraceParent($0) }
    }

    /// The origin of the work for this request.
    package var work: WorkOrigin { WorkOrigin(requestID: requestID, trace: trace) }
}

extension HTTPField.Name {
    /// The header with the id of the request.
    package static let requestUUID = Self("X-Apple-Request-UUID")!
}
