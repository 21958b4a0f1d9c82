package import AMQPClient

/// What the present task works for: its lines of the log name it, and the messages it sends carry its trace.
package struct WorkOrigin: Sendable {
    /// The present task's; nil for work of the service's own, such as sweeps.
    @TaskLocal package static var current: WorkOrigin?

    /// The request's id (``RequestContext/requestID``); nil for a message that is no request.
    package var requestID: String?
    /// The trace that it belongs to.
    package var trace: TraceParent?
    /// Whether it comes from CloudKit's web interface.
    package var isFromWeb = false

    /// An origin of those parts.
    package init(requestID: String?, trace: TraceParent?, isFromWeb: Bool = false) {
        self.requestID = requestID
        self.trace = trace
        self.isFromWeb = isFromWeb
    }

    /// A request.
    package init(_ context: RequestContext) {
        self.init(requestID: context.requestID, trace: context.trace, isFromWeb: context.isFromWeb)
    }

    /// A message that is no request: a change event, a job.
    package init(_ properties: AMQPProperties) { self.init(requestID: nil, trace: TraceParent(properties.headers)) }
}
