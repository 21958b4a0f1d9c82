import CloudKitWire
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct MessageIDTests {
    @Test func idsThatLookAlikeAreTwoRequestsOfOneTransaction() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let create: JSONValue = ["operationType": "create", "record": ["recordType": "Note", "fields": [:]]]
            let requests = try ["\u{E9}", "e\u{301}", "\u{E9}"].map {
                try database.request(zone, [create], messageID: $0)
            }
            let (answers, events) = try await database.write(requests[0], requests[1], requests[2])
            let names = answers.map { $0["records"]?[0]?["recordName"]?.string }
            #expect(Set(names).count == 2 && names[0] == names[2], "\(names)")
            #expect(events.reduce(0) { $0 + $1.toSeq - $1.fromSeq + 1 } == 2)
        }
    }
}
