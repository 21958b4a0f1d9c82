import CloudKitWire
import ServiceMessages

@testable import CommandLine
@testable import CommandLineSession

/// Returns prepared answers to operators' requests about schemas, and records the requests.
actor FakeSchemaService: Requester {
    private let answers: [ServiceMessages.Operation: JSONValue]
    private(set) var requests: [String] = []

    init(_ answers: [ServiceMessages.Operation: JSONValue]) { self.answers = answers }

    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        requests.append("\(request.operation.rawValue) \(String(decoding: request.body, as: UTF8.self))")
        guard let answer = answers[request.operation] else { throw .unanswered(reason: "not served") }
        return Answer(status: 200, body: answer.encoded(), attempts: 1)
    }
}
