import CloudKitModel
import RecordStorage
import Testing

/// The shares that follow from the parents of records.
struct AncestryTests {
    private func key(_ name: String) -> RecordKey { RecordKey(zone: ZoneRow(1), name: RecordName(unchecked: name)) }

    /// - Parameter parents: the parent of each record; nil if it has none.
    private func ancestry(_ parents: [String: String?], root: String? = nil) -> Ancestry {
        var ancestry = Ancestry()
        let found = parents.map { name, parent in
            let share = name == root ? ShareID(7) : nil
            return (key(name), Ancestry.Ancestor(parent: parent.map(RecordName.init(unchecked:)), share: share))
        }
        ancestry.read(Dictionary(uniqueKeysWithValues: found), above: [])
        return ancestry
    }

    @Test func aRecordBelongsToTheNearestRootAboveIt() {
        let ancestry = ancestry(["a": "b", "b": "root", "root": "shelf", "other": nil], root: "root")
        for name in ["a", "b", "root"] {
            let found = ancestry.walk(from: key(name))
            #expect(found.walk.share == ShareID(7) && found.missing == nil)
        }
        let other = ancestry.walk(from: key("other"))
        #expect(other.walk.share == nil && other.missing == nil)
    }

    @Test func anAncestorThatWasNotReadIsMissing() {
        var ancestry = ancestry(["a": "b"])
        #expect(ancestry.walk(from: key("a")).missing == key("b"))
        ancestry.read([:], above: [key("b")])
        #expect(ancestry.walk(from: key("a")).missing == nil)
    }

    @Test func recordsInACycleBelongToNoShare() {
        let ancestry = ancestry(["a": "b", "b": "c", "c": "b"])
        let found = ancestry.walk(from: key("a"))
        #expect(found.walk.share == nil && found.missing == nil)
        #expect(found.walk.names == [key("a").name, key("b").name, key("c").name])
    }
}
