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

    private func end(_ name: String, in ancestry: Ancestry) -> Ancestry.End? {
        ancestry.ends(of: [key(name)])[key(name)]
    }

    @Test func aRecordBelongsToTheNearestRootAboveIt() {
        let ancestry = ancestry(["a": "b", "b": "root", "root": "shelf", "other": nil], root: "root")
        for name in ["a", "b", "root"] { #expect(end(name, in: ancestry) == .share(ShareID(7))) }
        #expect(end("other", in: ancestry) == .unshared)
    }

    @Test func anAncestorThatWasNotReadIsMissing() {
        var ancestry = ancestry(["a": "b"])
        #expect(end("a", in: ancestry) == .missing(key("b")))
        ancestry.read([:], above: [key("b")])
        #expect(end("a", in: ancestry) == .unshared)
        #expect(ancestry.records[key("b")]?.isPending == true, "it might have been deleted during a move")
    }

    @Test func recordsInACycleBelongToNoShare() {
        let ancestry = ancestry(["a": "b", "b": "c", "c": "b"])
        for name in ["a", "b", "c"] {
            #expect(end(name, in: ancestry) == .cycle([key("b").name, key("c").name]))
        }
    }

    /// With a set of the ancestors of each record, this would take 500 MB.
    @Test(.timeLimit(.minutes(1))) func manyRecordsBelowALongChainOfParents() {
        let depth = 20_000
        var parents: [String: String?] = ["0": nil]
        for number in 1..<depth { parents["\(number)"] = "\(number - 1)" }
        let leaves = (0..<1000).map { "leaf\($0)" }
        for leaf in leaves { parents[leaf] = "\(depth - 1)" }
        let ends = ancestry(parents, root: "0").ends(of: leaves.map(key))
        #expect(ends.count == depth + leaves.count && ends.values.allSatisfy { $0 == .share(ShareID(7)) })
    }
}
