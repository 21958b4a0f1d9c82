import CloudKitWire
import ServiceMessages
import TestSupport

extension ModelRequest {
    /// The operation's routing key and body.
    ///
    /// - Parameter owner: the owner of the zone, whom requests in the shared database name; nil in a private database.
    func wire(owner: String? = nil) -> (operation: ServiceMessages.Operation, body: JSONValue) {
        let zoneID = JSONValue.zone(zone, owner: owner)
        return switch self {
        case .records(_, let operations, let atomic):
            (.recordsModify, .modify(zoneID, operations.map(\.json), atomic: atomic))
        case .createZone: (.zonesModify, Self.zones("create", zoneID))
        case .deleteZone: (.zonesModify, Self.zones("delete", zoneID))
        case .lookup(_, let names):
            (.recordsLookup, ["zoneID": zoneID, "records": .array(names.map { ["recordName": .string($0)] })])
        case .accept(_, let link): (.recordsAccept, ["shortGUIDs": [["value": .string(link)]]])
        }
    }

    private static func zones(_ kind: String, _ zoneID: JSONValue) -> JSONValue {
        ["operations": [["operationType": .string(kind), "zone": ["zoneID": zoneID]]]]
    }
}

extension ModelOperation {
    fileprivate var json: JSONValue {
        var record: [JSONValue.Member] = []
        if let name { record.append(.init("recordName", .string(name))) }
        if let type { record.append(.init("recordType", .string(type))) }
        if let tag { record.append(.init("recordChangeTag", .string(tag))) }
        let values = fields.sorted { $0.key < $1.key }.map { name, value in
            JSONValue.Member(name, ["value": value?.json ?? nil])
        }
        record.append(.init("fields", .object(values)))
        switch parent {
        case .absent: break
        case .clear: record.append(.init("parent", nil))
        case .set(let name): record.append(.init("parent", ["recordName": .string(name)]))
        }
        return ["operationType": .string(kind.rawValue), "record": .object(record + (share?.members ?? []))]
    }
}

extension ModelShareChange {
    fileprivate var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let root {
            let tag = rootTag.map { [JSONValue.Member("recordChangeTag", .string($0))] } ?? []
            members.append(.init("forRecord", .object([.init("recordName", .string(root))] + tag)))
        }
        if let publicPermission { members.append(.init("publicPermission", .string(publicPermission.rawValue))) }
        if replacesLink { members.append(.init("replaceShortGUID", true)) }
        if let participants {
            let sent = participants.sorted { $0.key < $1.key }.map { user, permission -> JSONValue in
                ["userIdentity": ["userRecordName": .string(user)], "permission": .string(permission.rawValue)]
            }
            members.append(.init("participants", .array(sent)))
        }
        return members
    }
}

extension ModelValue {
    fileprivate var json: JSONValue {
        switch self {
        case .number(let number): .int(number)
        case .reference(let name, let action):
            ["recordName": .string(name), "action": .string(action.rawValue)]
        case .text(let text): .string(text)
        }
    }

    fileprivate init(_ json: JSONValue) throws {
        if let number = json.int {
            self = .number(number)
        } else {
            let action = try Action(rawValue: json.text("action")).orFail("no action: \(json)")
            self = .reference(try json.text("recordName"), action)
        }
    }
}

extension ModelAnswer {
    /// Decodes an answer.
    ///
    /// - Throws: ``TestFailure`` if it is not an answer.
    init(_ reply: TestReply) throws {
        let isAtomicFailure = reply.body.errorCode == ModelError.atomicFailure.code
        if let records = reply["records"]?.array, reply.status == (isAtomicFailure ? 400 : 200) {
            self = .records(try records.map(ModelItem.init), isAtomicFailure: isAtomicFailure)
        } else if let result = reply["results"]?[0] {
            self = result.errorCode == nil ? try Self.accepted(result) : .refused(try ModelError(result))
        } else if let zone = reply["zones"]?[0], reply.status == 200 {
            self = zone.errorCode == nil ? .zone(isDeleted: zone["deleted"] == true) : .refused(try ModelError(zone))
        } else {
            self = .refused(try ModelError(reply.body))
        }
    }

    private static func accepted(_ result: JSONValue) throws -> ModelAnswer {
        guard result["participantStatus"] == "ACCEPTED", result["databaseScope"] == "SHARED" else {
            throw TestFailure("a share was not accepted: \(result)")
        }
        return .accepted
    }

    /// The same answer without the devices that created and saved its records.
    var withoutStamps: ModelAnswer {
        guard case .records(let items, let isAtomicFailure) = self else { return self }
        return .records(items.map(\.withoutStamps), isAtomicFailure: isAtomicFailure)
    }
}

extension ModelItem {
    /// Decodes an item of an answer or of a feed.
    ///
    /// - Throws: ``TestFailure`` if it is not an item.
    init(_ json: JSONValue) throws {
        if json.errorCode != nil {
            self = .failed(
                try json.text("recordName"), try ModelError(json),
                server: try json["serverRecord"].map(ModelRecord.init))
        } else if json["deleted"] == true {
            self = .deleted(try json.text("recordName"))
        } else {
            self = .saved(try ModelRecord(json))
        }
    }

    /// The same item without the devices that created and saved its record.
    var withoutStamps: ModelItem {
        switch self {
        case .saved(let record): .saved(record.withoutStamps)
        case .failed(let name, let error, let server): .failed(name, error, server: server?.withoutStamps)
        case .deleted, .left, .idle: self
        }
    }
}

extension ModelRecord {
    fileprivate init(_ json: JSONValue) throws {
        let fields = try json["fields"]?.members.orFail("no fields: \(json)") ?? []
        let type: String = try json.text("recordType")
        self.init(
            name: try json.text("recordName"), type: type, tag: try json.text("recordChangeTag"),
            fields: Dictionary(
                uniqueKeysWithValues: try fields.map { ($0.key, try ModelValue($0.value["value"] ?? nil)) }
                    + (type == ModelShare.recordType ? try json.shareFields() : [])),
            parent: json["parent"]?["recordName"]?.string, creator: try (json["created"] ?? nil).text("deviceID"),
            modifier: try (json["modified"] ?? nil).text("deviceID"))
    }
}

extension ModelError {
    fileprivate init(_ json: JSONValue) throws {
        let number = try (json["ckErrorCode"]?.int).orFail("no ckErrorCode: \(json)")
        self.init(code: try json.text("serverErrorCode"), number: Int(number))
    }
}

extension JSONValue {
    /// The content of a share, in the form of ``ModelShare/fields(for:)``. Every reader sees the owner, who is left out.
    fileprivate func shareFields() throws -> [(String, ModelValue)] {
        guard let listed = self["participants"]?.array else { return [] }
        guard listed.contains(where: { $0["type"] == "OWNER" }) else { throw TestFailure("no owner: \(self)") }
        let participants = try listed.filter { $0["type"] != "OWNER" }.map { participant -> (String, ModelValue) in
            let texts: [String] = try ["type", "permission", "acceptanceStatus"].map { try participant.text($0) }
            return (
                try (participant["userIdentity"] ?? nil).text("userRecordName"),
                ModelValue.text(texts.joined(separator: " "))
            )
        }
        return participants + [
            ("shortGUID", .text(try text("shortGUID"))), ("publicPermission", .text(try text("publicPermission"))),
        ]
    }

    fileprivate func text(_ key: String) throws -> String { try (self[key]?.string).orFail("no \(key): \(self)") }
}

extension Optional {
    fileprivate func orFail(_ description: @autoclosure () -> String) throws -> Wrapped {
        guard let self else { throw TestFailure(description()) }
        return self
    }
}
