import HTTPTypes
import Testing

@testable import AssetService

struct ByteSelectionTests {
    static let eTag = "\"0123\""

    static func selection(_ headers: HTTPFields, size: Int64 = 100, allowsRange: Bool = true) -> ByteSelection {
        ByteSelection(headers, eTag: eTag, size: size, allowsRange: allowsRange)
    }

    @Test(arguments: [
        ("bytes=0-9", ByteSelection.part(0..<10)), ("bytes=90-", .part(90..<100)), ("bytes=-10", .part(90..<100)),
        ("bytes=0-0", .part(0..<1)), ("bytes=99-99", .part(99..<100)), ("bytes=50-1000", .part(50..<100)),
        ("bytes=-1000", .part(0..<100)), ("BYTES= 1-2", .part(1..<3)),
        ("bytes=0-99999999999999999999", .part(0..<100)),
        ("bytes=100-", .unsatisfiable), ("bytes=100-200", .unsatisfiable), ("bytes=-0", .unsatisfiable),
        ("bytes=99999999999999999999-", .unsatisfiable),
    ])
    func oneRangeIsServed(header: String, expected: ByteSelection) {
        #expect(Self.selection([.range: header]) == expected)
    }

    @Test(arguments: [
        "bytes=5-2", "bytes=0-1,3-4", "bytes=a-b", "bytes=", "bytes=-", "bytes", "items=0-1", "bytes=0-1-2",
        "bytes=+1-2", "",
    ])
    func whatIsNoSingleRangeIsIgnored(header: String) {
        #expect(Self.selection([.range: header]) == .all)
    }

    @Test func nothingOfAnEmptyAssetCanBeSelected() {
        #expect(Self.selection([.range: "bytes=0-"], size: 0) == .unsatisfiable)
        #expect(Self.selection([.range: "bytes=-1"], size: 0) == .unsatisfiable)
        #expect(Self.selection([:], size: 0) == .all)
    }

    @Test func onlyGETKnowsRanges() {
        #expect(Self.selection([.range: "bytes=0-1"], allowsRange: false) == .all)
    }

    @Test(arguments: ["\"0123\"", "W/\"0123\"", "*", "\"9\", \"0123\"", "\"9\" ,W/\"0123\" "])
    func whatTheClientHasIsNotSentAgain(known: String) {
        #expect(Self.selection([.ifNoneMatch: known, .range: "bytes=0-1"]) == .notModified)
    }

    @Test func anotherTagIsNoMatch() {
        #expect(Self.selection([.ifNoneMatch: "\"0124\""]) == .all)
        #expect(Self.selection([.ifNoneMatch: "0123"]) == .all)
    }

    @Test(arguments: [
        ("\"0123\"", ByteSelection.part(0..<2)), ("\"9\"", .all), ("W/\"0123\"", .all),
        ("Wed, 21 Oct 2015 07:28:00 GMT", .all),
    ])
    func aRangeOfAnotherContentIsTheWhole(condition: String, expected: ByteSelection) {
        #expect(Self.selection([.ifRange: condition, .range: "bytes=0-1"]) == expected)
    }
}
