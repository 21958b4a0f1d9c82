import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Gives its answers one after the other, and remembers what was asked.
actor FakeAnswers: Requester {
    private var answers: [JSONValue]
    package private(set) var requests: [String] = []

    package init(_ answers: JSONValue...) { self.answers = answers }

    package func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        requests.append("\(request.operation.rawValue) \(String(decoding: request.body, as: UTF8.self))")
        guard !answers.isEmpty else { throw .unanswered(reason: "asked too often") }
        let answer = answers.removeFirst()
        return Answer(status: answer["serverErrorCode"] == nil ? 200 : 400, body: answer.encoded(), attempts: 1)
    }
}
