import CloudKitWire
import CommandLineSession
import ServiceMessages

/// A participant of all shares of a ``FakeService``. It shows the records that have a parent, with faults to order.
actor FakeParticipant: Requester {
    /// What goes wrong.
    package struct Faults: Sendable {
        /// Shows the records without a parent, too.
        package var showsHidden = false
        /// Leaves every nth record out of the feed.
        package var skipsEvery = 0
        /// Leaves every nth change of a record out of the feed if the feed continues from a token.
        package var losesEvery = 0
        /// Refuses every nth write.
        package var refusesEvery = 0
    }

    private let service: FakeService
    private let faults: Faults
    private var shownCount = 0
    private var laterCount = 0
    private var writeCount = 0

    package init(of service: FakeService, faults: Faults = Faults()) {
        self.service = service
        self.faults = faults
    }

    package func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        if request.operation == .recordsModify {
            writeCount += 1
            if faults.refusesEvery > 0, writeCount % faults.refusesEvery == 0 {
                return Answer(
                    status: 404, body: Array(#"{"serverErrorCode":"ZONE_NOT_FOUND","reason":"no zone"}"#.utf8),
                    attempts: 1)
            }
        }
        let answer = try await service.ask(request, limit: limit)
        guard answer.isGood else { return answer }
        let json = try answer.json()
        switch request.operation {
        case .recordsLookup:
            return Self.good([
                "records": .array((json["records"]?.array ?? []).map { isVisible($0) ? $0 : Self.notFound })
            ])
        case .changesZone:
            let asked = try Answer(status: 200, body: request.body, attempts: 1).json()
            let isLater = asked["zones"]?[0]?["syncToken"] != nil
            guard let page = json["zones"]?[0] else { return answer }
            let shown = (page["records"]?.array ?? []).filter { isVisible($0) && isFed(isLater: isLater) }
            return Self.good([
                "zones": [
                    [
                        "records": .array(shown), "syncToken": page["syncToken"] ?? .null,
                        "moreComing": page["moreComing"] ?? false,
                    ]
                ]
            ])
        default: return answer
        }
    }

    private func isVisible(_ record: JSONValue) -> Bool { faults.showsHidden || record["parent"] != nil }

    private func isFed(isLater: Bool) -> Bool {
        shownCount += 1
        laterCount += isLater ? 1 : 0
        if faults.skipsEvery > 0, shownCount % faults.skipsEvery == 0 { return false }
        return !(isLater && faults.losesEvery > 0 && laterCount % faults.losesEvery == 0)
    }

    private static let notFound: JSONValue = ["serverErrorCode": "NOT_FOUND", "reason": "Record not found"]

    private static func good(_ json: JSONValue) -> Answer {
        Answer(status: 200, body: json.encoded(), attempts: 1)
    }
}
