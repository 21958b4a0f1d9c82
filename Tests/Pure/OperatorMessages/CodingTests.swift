import CloudKitModel
import CloudKitWire
import OperatorMessages
import ServiceMessages
import Testing

@Suite struct CodingTests {
    private struct Item: Codable, Equatable {
        var z: Int64
        var a: Bool?
        var b: UInt8?
        var f: Float?
    }

    private struct Sample: OperatorRequest, Equatable {
        struct Answer: Codable, Sendable {}
        static var operation: ServiceMessages.Operation { .usersList }

        var name: String
        var last: Double?
        var flag: Bool?
        var count: Int?
        var texts: [String]?
        var items: [Item]?
        var any: JSONValue?
    }

    private struct Lenient: OperatorRequest, Equatable {
        struct Answer: Codable, Sendable {}
        static var operation: ServiceMessages.Operation { .assetsStat }
        static var wrongKinds: WrongKinds { .ignored }

        var name: String
        var flag: Bool?
        var count: Int64?
        var texts: [String]?
    }

    private func error(_ text: String) -> String {
        do throws(ServerError) {
            return "\(try Sample(json: JSONValue(parsing: text)))"
        } catch {
            return "\(error.reasonCode) \(error.reason)"
        }
    }

    @Test func membersKeepTheOrderOfThePropertiesAndNilIsOmitted() throws {
        let sample = Sample(
            name: "b", flag: false, count: 3, texts: ["y", "x"],
            items: [Item(z: 2), Item(z: 1, a: true, b: 7, f: 0.5)],
            any: ["k": [1, 2.5, nil]])
        let text = String(decoding: JSONValue(encoding: sample).encoded(), as: UTF8.self)
        #expect(
            text
                == #"{"name":"b","flag":false,"count":3,"texts":["y","x"],"items":[{"z":2},{"z":1,"a":true,"b":7,"f":0.5}],"any":{"k":[1,2.5,null]}}"#
        )
        #expect(try Sample(json: JSONValue(parsing: text)) == sample)
    }

    @Test func aMissingMemberIsNamed() {
        #expect(error("{}") == "missing_key The key 'name' is required")
        #expect(error(#"{"name":null}"#) == "missing_key The key 'name' is required")
        #expect(error("[]") == "missing_key The key 'name' is required")
    }

    @Test(arguments: [
        (#"{"name":1}"#, "name", "a string"), (#"{"name":"a","flag":0}"#, "flag", "true or false"),
        (#"{"name":"a","count":1.5}"#, "count", "a whole number"), (#"{"name":"a","last":""}"#, "last", "a number"),
        (#"{"name":"a","texts":["a",1]}"#, "texts", "a list of strings"),
        (#"{"name":"a","items":{}}"#, "items", "a list"),
        (#"{"name":"a","items":[{"z":"1"}]}"#, "z", "a whole number"),
        (#"{"name":"a","items":[{"z":1,"b":256}]}"#, "b", "a whole number"),
    ]) func aMemberOfTheWrongTypeIsNamed(text: String, key: String, expected: String) {
        #expect(error(text) == "wrong_kind The key '\(key)' must be \(expected)")
    }

    @Test func nullsAndUnknownMembersAreIgnored() throws {
        #expect(
            try Sample(json: ["new": 1, "name": "a", "flag": nil, "count": nil, "texts": nil]) == Sample(name: "a"))
    }

    @Test func wrongTypesAreIgnoredWhereARequestAllowsThem() throws {
        #expect(try Lenient(json: ["name": "a", "flag": 1, "count": "2", "texts": "t"]) == Lenient(name: "a"))
        #expect(throws: ServerError.missingKey("name")) { try Lenient(json: ["name": 1]) }
        #expect(throws: ServerError.wrongKind("texts", expected: "a list of strings")) {
            try Lenient(json: ["name": "a", "texts": [3]])
        }
    }
}
