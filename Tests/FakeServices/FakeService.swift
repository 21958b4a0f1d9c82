import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// A record service in memory, with faults to order. A record's parent must be there, or be saved with it. It notes when
/// two requests for one record are under way at once.
actor FakeService: Requester {
    /// What goes wrong.
    package struct Faults: Sendable {
        /// Acknowledges every nth write without doing it.
        package var dropsEvery = 0
        /// Applies the write before the last of a record once more after every nth one.
        package var repeatsEvery = 0
        /// Gives no answer to every nth write, having done it.
        package var losesAnswerEvery = 0
        /// Refuses records of this name.
        package var refusedName: String?
        /// Refuses the whole request if it has a record of this name.
        package var poisonName: String?
        /// Gives each record twice in the feed.
        package var doublesFeed = false
    }

    private struct Record {
        package var body: JSONValue
        package var sequence: Int
        package var isDeleted = false
    }

    private let faults: Faults
    private var zones: [String: [String: Record]] = [:]
    private var sequence = 0
    private var writeCount = 0
    private var underWay: Set<String> = []
    package private(set) var overlaps = 0
    package private(set) var requestCount = 0
    package private(set) var messageIDs: Set<String> = []

    package init(zones: [String] = [], faults: Faults = Faults()) {
        self.faults = faults
        for zone in zones { self.zones[zone] = [:] }
    }

    package func records(inZone zone: String) -> [String: JSONValue] {
        (zones[zone] ?? [:]).filter { !$0.value.isDeleted }.mapValues(\.body)
    }

    package func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        requestCount += 1
        messageIDs.insert(request.messageID)
        let body = try Answer(status: 200, body: request.body, attempts: 1).json()
        switch request.operation {
        case .zonesModify: return modifyZones(body)
        case .recordsModify: return try await modify(body)
        case .recordsLookup: return lookup(body)
        case .changesZone: return changes(body)
        case .recordsAccept:
            return good(["results": .array((body["shortGUIDs"]?.array ?? []).map { ["shortGUID": $0] })])
        case .zonesList:
            return good(["zones": .array(zones.keys.sorted().map { ["zoneID": ["zoneName": .string($0)]] })])
        default: throw .unanswered(reason: "not served")
        }
    }

    private func modifyZones(_ body: JSONValue) -> Answer {
        var names: [String] = []
        for operation in body["operations"]?.array ?? [] {
            guard let name = operation["zone"]?["zoneID"]?["zoneName"]?.string else { continue }
            names.append(name)
            if operation["operationType"] == "delete" {
                zones[name] = nil
            } else if zones[name] == nil {
                zones[name] = [:]
            }
        }
        return good(["zones": .array(names.map { ["zoneID": ["zoneName": .string($0)]] })])
    }

    private func modify(_ body: JSONValue) async throws(RequestFailure) -> Answer {
        guard let zone = zone(of: body) else { return Self.zoneNotFound }
        let operations = body["operations"]?.array ?? []
        let names = operations.compactMap { $0["record"]?["recordName"]?.string }
        if let poison = faults.poisonName, names.contains(poison) {
            return Answer(
                status: 400, body: Array(#"{"serverErrorCode":"BAD_REQUEST","reason":"poison"}"#.utf8), attempts: 1)
        }
        for name in names where !underWay.insert(zone + name).inserted { overlaps += 1 }
        for _ in 0..<3 { await Task.yield() }
        for name in names { underWay.remove(zone + name) }
        writeCount += 1
        var items: [JSONValue] = []
        for operation in operations { items.append(apply(operation, zone, among: Set(names))) }
        if faults.losesAnswerEvery > 0, writeCount % faults.losesAnswerEvery == 0 {
            throw .unanswered(reason: "lost")
        }
        return good(["records": .array(items)])
    }

    private func apply(_ operation: JSONValue, _ zone: String, among names: Set<String>) -> JSONValue {
        guard let record = operation["record"] else { return .null }
        let name = record["recordName"]?.string ?? "generated"
        if name == faults.refusedName {
            return ["recordName": .string(name), "serverErrorCode": "CONFLICT", "reason": "refused"]
        }
        if let parent = record["parent"]?["recordName"]?.string, !names.contains(parent),
            zones[zone]?[parent]?.isDeleted != false
        {
            return [
                "recordName": .string(name), "serverErrorCode": "VALIDATING_REFERENCE_ERROR", "reason": "no parent",
            ]
        }
        if operation["operationType"]?.string == "forceDelete" {
            put(["recordName": .string(name), "deleted": true], name, zone)
            zones[zone]?[name]?.isDeleted = true
            return ["recordName": .string(name), "deleted": true]
        }
        let old = zones[zone]?[name]?.body
        if faults.dropsEvery == 0 || writeCount % faults.dropsEvery != 0 { put(record, name, zone) }
        if faults.repeatsEvery > 0, writeCount % faults.repeatsEvery == 0, let old { put(old, name, zone) }
        return [
            "recordName": .string(name), "recordType": "Load", "deleted": false, "fields": [:], "shortGUID": "link",
        ]
    }

    private func put(_ record: JSONValue, _ name: String, _ zone: String) {
        sequence += 1
        zones[zone]?[name] = Record(body: record, sequence: sequence)
    }

    private func lookup(_ body: JSONValue) -> Answer {
        guard let zone = zone(of: body) else { return Self.zoneNotFound }
        let items = (body["records"]?.array ?? []).map { item -> JSONValue in
            let name = item["recordName"]?.string ?? ""
            return records(inZone: zone)[name]
                ?? ["recordName": .string(name), "serverErrorCode": "NOT_FOUND", "reason": "Record not found"]
        }
        return good(["records": .array(items)])
    }

    private func changes(_ body: JSONValue) -> Answer {
        guard let entry = body["zones"]?[0], let zone = zone(of: entry) else { return Self.zoneNotFound }
        let since = Int(entry["syncToken"]?.string ?? "") ?? 0
        let page = (zones[zone] ?? [:]).values.filter { $0.sequence > since }.sorted { $0.sequence < $1.sequence }
        let shown = page.prefix(7)
        let bodies = shown.flatMap { faults.doublesFeed ? [$0.body, $0.body] : [$0.body] }
        return good([
            "zones": [
                [
                    "zoneID": ["zoneName": .string(zone)], "records": .array(bodies),
                    "syncToken": .string(String(shown.last?.sequence ?? since)),
                    "moreComing": .bool(page.count > shown.count),
                ]
            ]
        ])
    }

    private func zone(of body: JSONValue) -> String? {
        body["zoneID"]?["zoneName"]?.string.flatMap { zones[$0] == nil ? nil : $0 }
    }

    private func good(_ json: JSONValue) -> Answer { Answer(status: 200, body: json.encoded(), attempts: 1) }

    private static let zoneNotFound = Answer(
        status: 404, body: Array(#"{"serverErrorCode":"ZONE_NOT_FOUND","reason":"no zone","uuid":"u"}"#.utf8),
        attempts: 1)
}
