import CloudKitWire
import Testing

@testable import ServiceLimits

struct SearchingTests {
    @Test(
        arguments: [
            ("", 0, nil), ("\"recordName\"", 0, nil), ("\"recordName\":", 1, 0), ("\"\"recordName\":", 1, 1),
            ("x\"recordName\":\"recordName\":", 2, 1), ("\"ownerRecordName\":\"a\"", 0, nil),
        ] as [(String, Int, Int?)])
    func everyOccurrenceIsFoundOnce(text: String, count: Int, first: Int?) {
        #expect(Array(text.utf8).occurrences(of: #""recordName":"#) == count)
        #expect(Array(text.utf8).firstIndex(of: #""recordName":"#) == first)
    }

    @Test func theReportedSizesAreThoseOfOneRequest() {
        var counts = ReadCounts()
        counts.add(records: 200, requestBytes: 100, answerBytes: 9000)
        counts.add(records: 100, requestBytes: 200, answerBytes: 5000)
        let json = (counts + ReadCounts()).json(elapsed: .seconds(2))
        #expect(json["records"] == 300)
        #expect(json["perSecond"] == 150.0)
        #expect(json["requestBytes"] == 150)
        #expect(json["replyBytes"] == 7000)
        #expect(json["perReply"] == 150.0)
    }
}
