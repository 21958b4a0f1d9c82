import CloudKitModel
import CloudKitWire
import Testing

struct StoredFieldsTests {
    private func text(_ fields: StoredFields) -> String { String(decoding: fields.encoded(), as: UTF8.self) }

    @Test func textOfJSONBIsTakenApartWithoutBeingInterpreted() throws {
        let json = #"{"a": 1, "bb": {"recordName": "x", "action": "NONE"}, "ccc": ["}", "\"", "]"]}"#
        let fields = try StoredFields(parsing: Array(json.utf8))
        #expect(fields.names == ["a", "bb", "ccc"])
        #expect(
            fields.raw("bb").map { String(decoding: $0, as: UTF8.self) } == #"{"recordName": "x", "action": "NONE"}"#)
        #expect(fields.raw("b") == nil)
        #expect(
            try fields.value("ccc", as: .list(.string)) == .list(.string, [.string("}"), .string("\""), .string("]")]))
        #expect(text(fields) == #"{"a":1,"bb":{"recordName": "x", "action": "NONE"},"ccc":["}", "\"", "]"]}"#)
    }

    @Test func fieldsAreSortedAsJSONBSortsThem() throws {
        let fields = try StoredFields(parsing: Array(#"{"bb":1,"a":2,"B":3,"ab":4}"#.utf8))
        #expect(fields.names == ["B", "a", "ab", "bb"])
        var other = StoredFields()
        for name in ["ab", "a", "bb", "B"] { other.set(name, .int64(0)) }
        #expect(other.names == fields.names)
    }

    @Test func fieldsAreSetReplacedAndRemoved() throws {
        var fields = try StoredFields(parsing: Array(#"{"a": 1, "b": 2}"#.utf8))
        fields.set("b", .string("x"))
        fields.set("aa", .list(.int64, []))
        fields.remove("a")
        fields.remove("missing")
        #expect(text(fields) == #"{"b":"x","aa":[]}"#)
        #expect(fields.count == 2)
        fields.keep(only: ["aa", "zz"])
        #expect(text(fields) == #"{"aa":[]}"#)
        fields.remove("aa")
        #expect(fields.isEmpty)
        #expect(text(fields) == "{}")
        #expect(fields == StoredFields())
    }

    @Test func mergingPutsChangesOverWhatIsThere() throws {
        let base = try StoredFields(parsing: Array(#"{"a": 1, "b": [1, 2]}"#.utf8))
        var changes = StoredFields()
        changes.set("b", .int64(3))
        changes.set("c", .string("é"))
        let merged = base.merging(changes)
        #expect(text(merged) == #"{"a":1,"b":3,"c":"é"}"#)
        #expect(text(base) == #"{"a":1,"b":[1, 2]}"#)
        #expect(try StoredFields(parsing: merged.encoded()) == merged)
    }

    @Test func receiptsAndAddressesAreNotStored() throws {
        var fields = StoredFields()
        fields.set(
            "file",
            .asset(Asset(fileChecksum: "c", size: 1, receipt: "r", referenceChecksum: "f", downloadURL: "http://x")))
        #expect(text(fields) == #"{"file":{"fileChecksum":"c","size":1,"referenceChecksum":"f"}}"#)
    }

    @Test func theBlobIsStoredAndReadOnlyFromStorage() throws {
        let asset = Asset(fileChecksum: "c", size: 1, blob: 7)
        var fields = StoredFields()
        fields.set("file", .asset(asset))
        #expect(text(fields) == #"{"file":{"fileChecksum":"c","size":1,"blob":7}}"#)
        #expect(try fields.value("file", as: .asset) == .asset(asset))
        let sent = try field(#"{"value":{"fileChecksum":"c","size":1,"blob":7}}"#)
        #expect(sent.value == .asset(Asset(fileChecksum: "c", size: 1)))
    }

    @Test(arguments: ["", "[]", "{", #"{"a"}"#, "null"])
    func damagedTextIsAnInternalError(json: String) {
        let error = serverError { () throws(ServerError) in try StoredFields(parsing: Array(json.utf8)) }
        #expect(error?.code == .internalError)
    }

    @Test func aValueOfAnotherTypeIsAnInternalErrorWithTheField() throws {
        let fields = try StoredFields(parsing: Array(#"{"a": "text"}"#.utf8))
        let error = serverError { () throws(ServerError) in try fields.value("a", as: .location) }
        #expect(error?.code == .internalError)
        #expect(error?.field == "a")
        #expect(try fields.value("none", as: .location) == nil)
    }
}
