import Testing

@testable import AMQPClient

@Suite struct AMQPTableTests {
    @Test func entriesAreSetReplacedAndRemoved() {
        var table: AMQPTable = ["a": 1, "b": "two"]
        #expect(table.int64("a") == 1)
        #expect(table.string("b") == "two")
        #expect(table.string("a") == nil)
        table["a"] = .bool(true)
        table["b"] = nil
        #expect(table["a"] == .bool(true))
        #expect(table.count == 1)
        #expect(table.map(\.key) == ["a"])
    }

    @Test func orderDoesNotMatterToEquality() {
        let one: AMQPTable = ["a": 1, "b": .table(["c": 2.5])]
        let other: AMQPTable = ["b": .table(["c": 2.5]), "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1])
    }

    @Test func valuesSurviveTheCLibrarysForm() {
        let table: AMQPTable = [
            "bool": true, "int": .int64(.min), "double": 1.5, "string": "Zürich", "empty": "",
            "bytes": .bytes([0, 255]), "timestamp": .timestamp(1_700_000_000), "void": .void,
            "array": .array([1, "x", .array([])]), "table": .table(["inner": .table([:])]),
        ]
        let arena = Arena()
        #expect(AMQPTable(arena.table(table)) == table)
    }

    @Test func propertiesSurviveTheCLibrarysForm() {
        let full = AMQPProperties(
            messageID: "m", correlationID: "c", replyTo: "r", contentType: "application/json", type: "t", appID: "a",
            userID: "u", expiration: "1000", timestamp: 12, isPersistent: false, priority: 9, headers: ["h": 1])
        let arena = Arena()
        #expect(AMQPProperties(full.encoded(in: arena)) == full)
        #expect(AMQPProperties(AMQPProperties().encoded(in: arena)) == AMQPProperties())
        let empty = AMQPProperties(messageID: "")
        #expect(AMQPProperties(empty.encoded(in: arena)) == empty)
    }
}
