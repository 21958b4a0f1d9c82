import CloudKitWire

/// The parts of requests about sharing.
extension JSONValue {
    /// The short GUID of a link.
    static func shortGUID(_ link: String) -> JSONValue { ["value": .string(link)] }

    /// An operation on a note. A parent that is null is removed.
    static func note(_ kind: String, _ name: String, _ n: Int64 = 1, below parent: JSONValue? = nil) -> JSONValue {
        note(kind, name, fields: ["n": ["value": .int(n)]], below: parent)
    }

    /// An operation on a note with these fields.
    static func note(_ kind: String, _ name: String, fields: JSONValue, below parent: JSONValue? = nil) -> JSONValue {
        var record: [Member] = [
            .init("recordName", .string(name)), .init("recordType", "Note"), .init("fields", fields),
        ]
        if let parent { record.append(.init("parent", parent.isNull ? .null : ["recordName": parent])) }
        return ["operationType": .string(kind), "record": .object(record)]
    }

    /// The field of a note that refers to a record.
    static func reference(_ name: String, _ action: String) -> JSONValue {
        ["r": ["value": ["recordName": .string(name), "action": .string(action)], "type": "REFERENCE"]]
    }

    /// An operation on a share. With `tag`, the save is compared with the current tag.
    static func share(
        _ kind: String, _ name: String, of root: String? = nil, tagged: Bool = false, permission: String? = nil,
        participants: [JSONValue]? = nil, _ more: [Member] = []
    ) -> JSONValue {
        var record: [Member] = [.init("recordName", .string(name)), .init("recordType", "cloudkit.share")]
        if let root { record.append(.init("forRecord", ["recordName": .string(root)])) }
        if tagged { record.append(.init("recordChangeTag", .string("@tag:\(name)"))) }
        if let permission { record.append(.init("publicPermission", .string(permission))) }
        if let participants { record.append(.init("participants", .array(participants))) }
        return ["operationType": .string(kind), "record": .object(record + more)]
    }

    /// The deletion of a record.
    static func deletion(_ name: String) -> JSONValue {
        ["operationType": "forceDelete", "record": ["recordName": .string(name)]]
    }

    /// A participant who is named by the user's record name.
    static func user(_ who: SharingRole, _ permission: String = "READ_WRITE", type: String = "USER") -> JSONValue {
        [
            "type": .string(type), "permission": .string(permission),
            "userIdentity": ["userRecordName": .string("@\(who.rawValue)")],
        ]
    }

    /// A participant who is named by an email address.
    static func email(_ address: String, _ permission: String = "READ_WRITE") -> JSONValue {
        [
            "type": "USER", "permission": .string(permission),
            "userIdentity": ["lookupInfo": ["emailAddress": .string(address)]],
        ]
    }
}
