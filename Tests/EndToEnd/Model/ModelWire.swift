import CloudKitWire
import ServiceMessages
import TestSupport

extension ModelRequest {
    /// The operation's routing key and body.
    var wire: (operation: ServiceMessages.Operation, body: JSONValue) {
        switch self {
        case .records(let zone, let operations, let atomic):
            (.recordsModify, .modify(zone, operations.map(\.json), atomic: atomic))
        case .createZone(let zone): (.zonesModify, Self.zones("create", zone))
        case .deleteZone(let zone): (.zonesModify, Self.zones("delete", zone))
        case .lookup(let zone, let names):
            (
                .recordsLookup,
                ["zoneID": .zone(zone), "records": .array(names.map { ["recordName": .string($0)] })]
            )
        }
    }

    private static func zones(_ kind: String, _ name: String) -> JSONValue {
        ["operations": [["operationType": .string(kind), "zone": ["zoneID": .zone(name)]]]]
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
        return ["operationType": .string(kind.rawValue), "record": .object(record)]
    }
}

extension ModelValue {
    fileprivate var json: JSONValue {
        switch self {
        case .number(let number): .int(number)
        case .reference(let name, let action):
            ["recordName": .string(name), "action": .string(action.rawValue)]
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
        } else if let zone = reply["zones"]?[0], reply.status == 200 {
            self = zone.errorCode == nil ? .zone(isDeleted: zone["deleted"] == true) : .refused(try ModelError(zone))
        } else {
            self = .refused(try ModelError(reply.body))
        }
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
}

extension ModelRecord {
    fileprivate init(_ json: JSONValue) throws {
        let fields = try json["fields"]?.members.orFail("no fields: \(json)") ?? []
        self.init(
            name: try json.text("recordName"), type: try json.text("recordType"), tag: try json.text("recordChangeTag"),
            fields: Dictionary(
                uniqueKeysWithValues: try fields.map { ($0.key, try ModelValue($0.value["value"] ?? nil)) }),
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
    fileprivate func text(_ key: String) throws -> String { try (self[key]?.string).orFail("no \(key): \(self)") }
}

extension Optional {
    fileprivate func orFail(_ description: @autoclosure () -> String) throws -> Wrapped {
        guard let self else { throw TestFailure(description()) }
        return self
    }
}
