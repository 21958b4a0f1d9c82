internal import Foundation
package import HTTPTypes
package import ServiceMessages

/// The id of a request over HTTP, and its trace context.
package struct RequestOrigin: Sendable {
    /// A new id for this request: the `uuid` of an error, the header `X-Apple-Request-UUID`, and the `request` of log
    /// lines.
    package let requestID: String
    /// The trace context of the header `traceparent`; nil when it is missing or malformed.
    package let trace: TraceParent?

    /// Makes an id and reads the trace context.
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
