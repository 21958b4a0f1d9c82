import Testing

/// The properties of the model's shares that matter.
struct SharingReferenceTests {
    private var zone = SharedZoneUnderTest()

    @Test mutating func aRecordBelongsToTheShareOfItsNearestSharedAncestor() {
        zone.save("shelf")
        zone.save("list", below: "shelf")
        zone.save("a", below: "list")
        zone.save("a.1", below: "a")
        #expect(zone.share("S", of: "list") == nil)
        #expect(zone.membership == ["S": "S", "list": "S", "a": "S", "a.1": "S"])
        zone.save("a", below: "shelf")
        #expect(zone.membership == ["S": "S", "list": "S"])
    }

    @Test mutating func sharesAreNotNested() {
        zone.save("list")
        zone.save("a", below: "list")
        #expect(zone.share("S", of: "list") == nil)
        #expect(zone.share("T", of: "a") == .alreadyShared)
        zone.save("top")
        #expect(zone.share("T", of: "top") == nil)
        #expect(zone.save("list", below: "top") == .alreadyShared)
        #expect(zone.share(ModelShare.zoneShareName, of: nil) == .badRequest)
    }

    @Test mutating func aParticipantSeesTheShareAfterAcceptingOnly() {
        zone.save("shelf")
        zone.save("list", below: "shelf")
        _ = zone.share("S", of: "list", ["_b": .readWrite])
        #expect(zone.view("_b") == nil)
        #expect(zone.accept("S", "_b") == .accepted)
        #expect(zone.view("_b")?.keys.sorted() == ["S", "list"])
        #expect(zone.view("_b")?["list"]?.parent == nil)
        #expect(zone.accept("S", "_c") == .refused(.notFound))
    }

    @Test mutating func aParticipantWritesWhatIsSharedOnly() {
        zone.save("shelf")
        zone.save("list")
        _ = zone.share("S", of: "list", ["_b": .readWrite, "_c": .readOnly])
        #expect(zone.accept("S", "_b") == .accepted)
        #expect(zone.accept("S", "_c") == .accepted)
        #expect(zone.save("new", below: "list", by: "_b") == nil)
        #expect(zone.save("other", by: "_b") == .accessDenied)
        #expect(zone.save("shelf", below: "list", by: "_b") == .accessDenied)
        #expect(zone.save("other", below: "shelf", by: "_b") == .brokenReference)
        #expect(zone.save("new", below: "list", by: "_c") == .accessDenied)
        #expect(zone.delete("shelf", by: "_b") == nil)
        #expect(zone.delete("list", by: "_b") == .accessDenied)
        #expect(zone.delete("new", by: "_b") == nil)
        #expect(zone.view(nil)?.keys.sorted() == ["S", "list", "shelf"])
        #expect(zone.delete("S", by: "_b") == nil)
        #expect(zone.view("_b") == nil)
        #expect(zone.view("_c")?.keys.sorted() == ["S", "list"])
    }

    @Test mutating func aTokenExpiresWithAnInterruptionOfAccess() {
        zone.save("list")
        _ = zone.share("S", of: "list", ["_b": .readOnly])
        #expect(zone.accept("S", "_b") == .accepted)
        for (permission, expiries) in [(ModelShare.Permission.none, 0), (.readOnly, 1)] {
            zone.change("S", ModelShareChange(participants: ["_b": permission]))
            #expect(zone.expiries("_b") == expiries)
        }
    }
}

/// A zone of the model, and a simulated service that chooses the tags and links.
private struct SharedZoneUnderTest {
    private var zone = ModelZone(incarnation: 1)
    private var sent = 0

    var membership: [String: String] { zone.shape.membership() }

    func view(_ user: String?) -> [String: ModelRecord]? { zone.view(of: user) }

    func expiries(_ user: String) -> Int { zone.accesses[user]?.expiries ?? 0 }

    @discardableResult
    mutating func save(_ name: String, below parent: String? = nil, by user: String? = nil) -> ModelError? {
        perform(
            ModelOperation(
                kind: .forceUpdate, name: name, type: "Note", parent: parent.map(ModelOperation.Parent.set) ?? .absent),
            by: user)
    }

    mutating func delete(_ name: String, by user: String) -> ModelError? {
        perform(ModelOperation(kind: .forceDelete, name: name, type: nil), by: user)
    }

    mutating func share(
        _ name: String, of root: String?, _ participants: [String: ModelShare.Permission] = [:]
    ) -> ModelError? {
        perform(
            ModelOperation(
                kind: .create, name: name, type: ModelShare.recordType,
                share: ModelShareChange(root: root, participants: participants)))
    }

    mutating func change(_ name: String, _ change: ModelShareChange) {
        _ = perform(
            ModelOperation(
                kind: .update, name: name, type: ModelShare.recordType, tag: zone.records[name]?.tag, share: change))
    }

    mutating func accept(_ name: String, _ user: String) -> ModelAnswer {
        sent += 1
        let request = ModelRequest.accept(zone: "Zone", link: "link of \(name)")
        let message = ModelMessage(id: "m\(sent)", client: "c", participant: user, request: request)
        return zone.perform(message, chosen: [], moveLimit: .max)
    }

    /// - Returns: the error of the operation; nil if it succeeded.
    private mutating func perform(_ operation: ModelOperation, by user: String? = nil) -> ModelError? {
        sent += 1
        let name = operation.name ?? ""
        let chosen = ModelRecord(
            name: name, type: "", tag: "t\(sent)", fields: ["shortGUID": .text("link of \(name)")], parent: nil,
            creator: "", modifier: "")
        let request = ModelRequest.records(zone: "Zone", [operation], atomic: false)
        let message = ModelMessage(id: "m\(sent)", client: "c", participant: user, request: request)
        return zone.perform(message, chosen: [.saved(chosen)], moveLimit: .max).items.first?.error
    }
}
