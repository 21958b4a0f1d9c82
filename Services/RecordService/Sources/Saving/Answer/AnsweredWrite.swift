package import RequestServing

/// A request that is done with, and how its answer is written.
package struct AnsweredWrite: Sendable {
    /// The request.
    package let request: WriteRequest
    /// Writes the answer, which may have megabytes: when it is sent, and not before.
    package let answer: @Sendable () -> Answer

    init(_ request: WriteRequest, answer: @escaping @Sendable () -> Answer) {
        self.request = request
        self.answer = answer
    }

    init(_ request: WriteRequest, _ answer: Answer) {
        self.init(request) { answer }
    }
}
