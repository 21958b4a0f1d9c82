package import AMQPClient

/// The request or message on whose behalf the current task runs. The task's log lines contain the request's id, and the
/// messages that the task sends contain the trace.
package struct WorkOrigin: Sendable {
    /// The origin of the current task; nil for the service's own work, such as sweeps.
    @TaskLocal package static var current: WorkOrigin?

    /// The request's id (``RequestContext/requestID``); nil for a message that is not a request.
    package var requestID: String?
    /// The trace to which the request or message belongs.
    package var trace: TraceParent?
    /// Whether the request comes from CloudKit's web interface.
    package var isFromWeb = false

    /// Creates an origin from its parts.
    package init(requestID: String?, trace: TraceParent?, isFromWeb: Bool = false) {
        self.requestID = requestID
        self.trace = trace
        self.isFromWeb = isFromWeb
    }

    /// Creates the origin of work for a request.
    package init(_ context: RequestContext) {
        self.init(requestID: context.requestID, trace: context.trace, isFromWeb: context.isFromWeb)
    }

    /// Creates the origin of work for a message that is not a request, such as a change event or a job.
    package init(_ properties: AMQPProperties) { self.init(requestID: nil, trace: TraceParent(properties.headers)) }
}
