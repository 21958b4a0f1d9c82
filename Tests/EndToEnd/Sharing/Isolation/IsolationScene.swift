import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

/// A zone of which some records are shared, and all kinds of callers.
///
/// - `list` with `item` is shared by `S-share`
/// - `album` with `photo` is shared by `P-share`
/// - `diary` is not shared, and `gone` was deleted
struct IsolationScene: Sendable {
    static let zone = "Secrets"
    /// The text in all fields of the owner.
    static let secret = "hush"

    /// A caller, with what is hidden from it.
    struct Caller: Sendable {
        let label: String
        let user: SharingUser
        let level: IsolationProbe.Level
        /// Whether the caller is a user, who can be notified.
        var isUser = true
        /// The records that the caller does not see.
        var records = ["list"]
        /// The share that the caller does not see.
        var share = "S-share"
        var old: IsolationNames.Old?

        /// Whether the caller sees `list` and `item`.
        var seesList: Bool { level == .record && share != "S-share" }
    }

    let owner: SharingUser
    let callers: [Caller]
    /// The names of what exists.
    let names: IsolationNames
    /// The links of the shares.
    let links: [String: String]

    /// Returns the names with which `caller` asks for what is hidden.
    func hidden(from caller: Caller, record: String) -> IsolationNames {
        var names = names
        (names.record, names.share, names.old) = (record, caller.share, caller.old)
        names.link = links[caller.share] ?? ""
        return names
    }

    init(_ transport: SharingUser.Transport, on stack: ServiceStack) async throws {
        func new() async throws -> SharingUser { try await .new(transport, on: stack) }
        owner = try await new()
        let (reader, writer, other) = (try await new(), try await new(), try await new())
        let (invited, removed, left) = (try await new(), try await new(), try await new())
        func user(_ user: SharingUser, _ permission: String = "READ_WRITE") -> JSONValue {
            ["permission": .string(permission), "userIdentity": ["userRecordName": .string(user.name)]]
        }
        let members = [user(reader, "READ_ONLY"), user(writer), user(invited)]
        try await owner.broker.zones("create", Self.zone)
        let file = try await owner.broker.upload(randomBytes(100))
        func note(_ name: String, below parent: JSONValue? = nil) -> JSONValue {
            .note(
                "create", name, fields: ["title": ["value": .string(Self.secret)], "file": ["value": file]],
                below: parent)
        }
        let title: [JSONValue.Member] = [.init("fields", ["cloudkit.title": ["value": .string(Self.secret)]])]
        let saved = try await owner.broker.modify(
            Self.zone, note("list"), note("item", below: "list"), note("diary"), note("album"),
            note("photo", below: "album"), note("gone"),
            .share("create", "S-share", of: "list", participants: members + [user(removed), user(left)], title),
            .share("create", "P-share", of: "album", participants: [user(other)], title))
        let records = try #require(saved["records"]?.array)
        try #require(records.allSatisfy { $0.errorCode == nil }, "\(saved.body)")
        try await owner.broker.delete(Self.zone, "gone")
        links = [
            "S-share": try #require(records[6]["shortGUID"]?.string),
            "P-share": try #require(records[7]["shortGUID"]?.string),
        ]
        names = IsolationNames(
            owner: owner.name, zone: Self.zone, record: "list", share: "S-share", link: "",
            subscription: "of-\(owner.name)",
            participant: records[6]["participants"]?[0]?["participantId"]?.string ?? "")

        for (user, share) in [
            (reader, "S-share"), (writer, "S-share"), (removed, "S-share"), (left, "S-share"), (other, "P-share"),
        ] {
            let link: JSONValue = ["value": .string(links[share] ?? "")]
            let accepted = try await user.ask(.recordsAccept, in: "public", ["shortGUIDs": [link]])
            try #require(accepted.body["results"]?[0]?["participantStatus"] == "ACCEPTED", "\(accepted.body)")
        }
        let (ofRemoved, ofLeft) = (
            try await Self.old(of: removed, names.zoneID), try await Self.old(of: left, names.zoneID)
        )
        let tag = try #require(try await owner.broker.record(Self.zone, "S-share").changeTag)
        let removal = try await owner.broker.modify(
            Self.zone,
            .share("update", "S-share", participants: members + [user(left)], [.init("recordChangeTag", .string(tag))]))
        try #require(removal["records"]?[0]?.errorCode == nil, "\(removal.body)")
        let departure = try await left.ask(
            .recordsModify, in: "shared", ["zoneID": names.zoneID, "operations": [.deletion("S-share")]])
        try #require(departure.body["records"]?[0]?["deleted"] == true, "\(departure.body)")

        // An invited user resolves the link of the share with the invitation, so the other share is hidden.
        var callers = [
            Caller(
                label: "a caller who has not signed in", user: try await .nobody(transport, on: stack), level: .zone,
                isUser: false),
            Caller(label: "a stranger", user: try await new(), level: .zone),
            Caller(label: "an invited user", user: invited, level: .zone, share: "P-share"),
            Caller(label: "a removed user", user: removed, level: .zone, old: ofRemoved),
            Caller(label: "a user who has left", user: left, level: .zone, old: ofLeft),
            Caller(
                label: "a reader", user: reader, level: .record, records: ["diary", "photo", "album", "gone"],
                share: "P-share"),
            Caller(
                label: "a writer", user: writer, level: .record, records: ["diary", "photo", "album", "gone"],
                share: "P-share"),
            Caller(
                label: "a participant of another share", user: other, level: .record,
                records: ["diary", "list", "gone"], share: "S-share"),
        ]
        if transport == .http {
            let key = try await SharingUser.key(on: stack)
            callers.append(Caller(label: "a server-to-server key", user: key, level: .zone, isUser: false))
        }
        self.callers = callers
    }

    /// What a participant with access receives, and might send later.
    private static func old(of user: SharingUser, _ zoneID: JSONValue) async throws -> IsolationNames.Old {
        let walk = try await user.ask(.changesZone, in: "shared", ["zones": [["zoneID": zoneID]]])
        let query: JSONValue = ["recordType": "Note", "sortBy": [["fieldName": "title", "ascending": true]]]
        let page = try await user.ask(
            .recordsQuery, in: "shared", ["zoneID": zoneID, "query": query, "resultsLimit": 1])
        let tokens: JSONValue = ["zoneID": zoneID, "tokens": [["recordType": "Note", "fieldName": "file"]]]
        let upload = try await user.ask(.assetsUpload, in: "shared", tokens)
        let url = try #require(upload.body["tokens"]?[0]?["url"]?.string, "\(upload.body)")
        let unused = try await user.ask(.assetsUpload, in: "shared", tokens)
        return IsolationNames.Old(
            zoneToken: try #require(walk.body["zones"]?[0]?.syncToken, "\(walk.body)"),
            marker: try #require(page.body["continuationMarker"]?.string, "\(page.body)"),
            receipt: try #require(try await AssetClient.upload(randomBytes(100), to: url).json["singleFile"]),
            upload: try #require(unused.body["tokens"]?[0]?["url"]?.string, "\(unused.body)"))
    }
}
