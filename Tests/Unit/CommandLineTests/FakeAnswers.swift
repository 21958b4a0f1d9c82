import CloudKitWire
import ServiceMessages

@testable import CommandLine

/// Gives its answers one after the other, and remembers what was asked.
actor FakeAnswers: Requester {
    private var answers: [JSONValue]
    private(set) var requests: [String] = []

    init(_ answers: JSONValue...) { self.answers = answers }

    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        requests.append("\(request.operation.rawValue) \(String(decoding: request.body, as: UTF8.self))")
        guard !answers.isEmpty else { throw .unanswered(reason: "asked too often") }
        let answer = answers.removeFirst()
        return Answer(status: answer["serverErrorCode"] == nil ? 200 : 400, body: answer.encoded(), attempts: 1)
    }
}
