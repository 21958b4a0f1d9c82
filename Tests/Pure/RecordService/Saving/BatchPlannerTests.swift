import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The rules of `records/modify` (web-services 3.11, semantics 4), decided without a database.
struct BatchPlannerTests {
    static let zone = ZoneEntry(
        database: DatabaseEntry(environment: EnvironmentRow(1), isProduction: false, id: 1), row: ZoneRow(5),
        incarnation: UUID(),
        address: ZoneAddress(
            container: "iCloud.t", environment: .development, scope: .private,
            owner: "_" + String(repeating: "0", count: 32), zone: "Z"))

    static let note = RecordTypeSchema(
        id: RecordTypeID(3), name: "Note", fields: ["title": .string, "n": .int64, "at": .timestamp])

    static func stored(tag: String = "t1") throws -> StoredRecord {
        let stamp = StoredRecord.Stamp(milliseconds: 1, user: "_u", device: "2")
        return StoredRecord(
            name: "a", type: note.id, changeSeq: 10, changeTag: tag,
            fields: try StoredFields(parsing: Array(#"{"n": 1, "title": "old"}"#.utf8)), size: 20, parent: nil,
            created: stamp, modified: stamp)
    }

    /// A graph in which no record refers to another.
    static let unreferenced: ReferenceGraph = {
        var graph = ReferenceGraph()
        graph.read([], to: RecordKey(zone: zone.row, name: "a"))
        return graph
    }()

    static func planner(_ records: [StoredRecord] = []) -> BatchPlanner {
        BatchPlanner(
            counters: [zone.row: 10],
            records: Dictionary(
                uniqueKeysWithValues: records.map { (RecordKey(zone: zone.row, name: $0.name), $0) }),
            graph: unreferenced, omitted: [],
            schema: BatchPlanner.SchemaView(
                named: { name, _ in name == "Note" ? note : nil },
                identified: { $0 == note.id ? note : nil }), assets: AssetAdmission { _ in nil }, limits: Limits(),
            now: 1000)
    }

    static func request(_ operations: String, atomic: Bool = true, id: String = "m") throws -> WriteRequest {
        let body = Array(#"{"atomic":\#(atomic),"zoneID":{"zoneName":"Z"},"operations":[\#(operations)]}"#.utf8)
        let properties = AMQPProperties(
            messageID: id,
            headers: [
                Header.container: .string("iCloud.t"), Header.environment: .string("development"),
                Header.database: .string("private"), Header.user: .string(zone.address.owner),
            ])
        return WriteRequest(
            delivery: AMQPDelivery(queue: Queue.recordWrites, deliveryTag: 1, properties: properties, body: body),
            context: try RequestContext(properties, operation: .recordsModify),
            body: try ModifyRecordsRequest(decoding: body), bodyHash: [], zone: zone)
    }

    static func operation(_ kind: String, tag: String? = nil, fields: String = #""title":{"value":"new"}"#) -> String {
        let tag = tag.map { #","recordChangeTag":"\#($0)""# } ?? ""
        return
            #"{"operationType":"\#(kind)","record":{"recordName":"a","recordType":"Note"\#(tag),"fields":{\#(fields)}}}"#
    }

    enum Expected: Sendable {
        case saved(fields: String)
        case deleted(effective: Bool)
        case refused(ServerErrorCode)
    }

    static let merged = #"{"n":1,"title":"new"}"#
    static let replaced = #"{"title":"new"}"#

    static let absentTable: [(String, Expected)] = [
        ("create", .saved(fields: replaced)), ("update", .refused(.notFound)),
        ("forceUpdate", .saved(fields: replaced)), ("replace", .refused(.notFound)),
        ("forceReplace", .saved(fields: replaced)), ("delete", .refused(.notFound)),
        ("forceDelete", .deleted(effective: false)),
    ]

    static let presentTable: [(String, String?, Expected)] = [
        ("create", nil, .refused(.conflict)), ("create", "t1", .refused(.conflict)),
        ("update", "t1", .saved(fields: merged)), ("update", "t0", .refused(.conflict)),
        ("update", nil, .saved(fields: merged)), ("forceUpdate", "t0", .saved(fields: merged)),
        ("replace", "t1", .saved(fields: replaced)), ("replace", "t0", .refused(.conflict)),
        ("forceReplace", "t0", .saved(fields: replaced)), ("delete", "t1", .deleted(effective: true)),
        ("delete", "t0", .refused(.conflict)), ("delete", nil, .deleted(effective: true)),
        ("forceDelete", "t0", .deleted(effective: true)),
    ]

    private func check(_ planner: BatchPlanner, _ operation: String, _ expected: Expected) throws {
        var planner = planner
        let (decision, changes) = planner.decide(try Self.request(operation, atomic: false))
        guard case .decided(let outcome) = decision, outcome.operations.count == 1 else {
            Issue.record("not decided: \(decision)")
            return
        }
        switch (outcome.operations[0], expected) {
        case (.saved(let record), .saved(let fields)):
            #expect(String(decoding: record.fields?.encoded() ?? [], as: UTF8.self) == fields)
            #expect(record.changeSeq == 11)
            #expect(record.changeTag != "t1")
            #expect(changes.map(\.seq) == [11])
        case (.deleted, .deleted(let effective)):
            #expect(changes.isEmpty != effective)
        case (.failed(let error, _, let server), .refused(let code)):
            #expect(error.code == code)
            #expect((server != nil) == (code == .conflict))
            #expect(changes.isEmpty)
        default:
            Issue.record("\(outcome.operations[0]) where \(expected) was expected")
        }
    }

    @Test(arguments: absentTable)
    func operationsOnAnAbsentRecord(kind: String, expected: Expected) throws {
        try check(Self.planner(), Self.operation(kind), expected)
    }

    @Test(arguments: absentTable)
    func aTombstoneIsAnAbsentRecord(kind: String, expected: Expected) throws {
        var tombstone = try Self.stored()
        tombstone.fields = nil
        try check(Self.planner([tombstone]), Self.operation(kind), expected)
    }

    @Test(arguments: presentTable)
    func operationsOnAPresentRecord(kind: String, tag: String?, expected: Expected) throws {
        try check(Self.planner([try Self.stored()]), Self.operation(kind, tag: tag), expected)
    }

    @Test func oneFailureUndoesAnAtomicBatch() throws {
        var planner = Self.planner([try Self.stored()])
        let other = #"{"operationType":"create","record":{"recordName":"b","recordType":"Note","fields":{}}}"#
        let (decision, changes) = planner.decide(try Self.request(other + "," + Self.operation("create")))
        guard case .decided(let outcome) = decision else {
            Issue.record("not decided")
            return
        }
        #expect(outcome.isAtomicFailure)
        #expect(changes.isEmpty)
        #expect(planner.changed.isEmpty)
        #expect(planner.counters[Self.zone.row] == 10)
        let codes = outcome.operations.map { operation -> ServerErrorCode? in
            if case .failed(let error, _, _) = operation { error.code } else { nil }
        }
        #expect(codes == [.atomicError, .conflict])
    }

    @Test func aLaterRequestSeesTheEarlierOne() throws {
        var planner = Self.planner()
        _ = planner.decide(try Self.request(Self.operation("create"), id: "m1"))
        let (decision, _) = planner.decide(try Self.request(Self.operation("create"), id: "m2"))
        guard case .decided(let outcome) = decision, case .failed(let error, _, _) = outcome.operations[0] else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .conflict)
        #expect(planner.counters[Self.zone.row] == 11)
    }

    @Test func nilRemovesAFieldAndAnEmptyListIsKept() throws {
        var planner = Self.planner([try Self.stored()])
        let (decision, _) = planner.decide(
            try Self.request(Self.operation("update", fields: #""title":{"value":null}"#)))
        guard case .decided(let outcome) = decision, case .saved(let record) = outcome.operations[0] else {
            Issue.record("not saved")
            return
        }
        #expect(record.fields?.names == ["n"])
    }

    @Test func aValueOfAnotherTypeIsRefusedWithTheFieldAndBothTypes() throws {
        var planner = Self.planner()
        let (decision, _) = planner.decide(
            try Self.request(Self.operation("create", fields: #""n":{"value":"x","type":"STRING"}"#)))
        guard case .decided(let outcome) = decision, case .failed(let error, _, _) = outcome.operations[0] else {
            Issue.record("not refused")
            return
        }
        #expect(error.field == "n")
        #expect(error.reason.contains("STRING") && error.reason.contains("INT64"))
    }

    @Test func anUntaggedWholeNumberFitsADate() throws {
        var planner = Self.planner()
        let (decision, _) = planner.decide(
            try Self.request(Self.operation("create", fields: #""at":{"value":1768500000000}"#)))
        guard case .decided(let outcome) = decision else {
            Issue.record("not decided")
            return
        }
        #expect(!outcome.isFailure)
    }

    @Test func anUnknownFieldWaitsUntilTheSchemaIsExtended() throws {
        var planner = Self.planner()
        let (decision, _) = planner.decide(
            try Self.request(Self.operation("create", fields: #""x":{"value":1.5}"#)))
        guard case .needsSchema(let additions) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(additions == [SchemaAddition(recordType: "Note", fields: ["x": .number])])
        #expect(planner.changed.isEmpty)
    }

    @Test func aRecordOverTheLimitNamesItsLargestField() throws {
        var planner = Self.planner()
        let long = String(repeating: "x", count: 1_048_577)
        let (decision, _) = planner.decide(
            try Self.request(Self.operation("create", fields: #""title":{"value":"\#(long)"}"#)))
        guard case .decided(let outcome) = decision, case .failed(let error, _, _) = outcome.operations[0] else {
            Issue.record("not refused")
            return
        }
        #expect(error.ckErrorCode == 27)
        #expect(error.limit == 1_048_576)
        #expect(error.field == "title")
    }

    @Test func anIDThatIsUsedAgainMakesAnotherTagAndName() throws {
        let operation = #"{"operationType":"create","record":{"recordType":"Note","fields":{}}}"#
        func saved() throws -> StoredRecord? {
            var planner = Self.planner()
            guard case .decided(let outcome) = planner.decide(try Self.request(operation)).0,
                case .saved(let record) = outcome.operations[0]
            else { return nil }
            return record
        }
        let (first, second) = (try saved(), try saved())
        #expect(first != nil)
        #expect(first?.name != second?.name)
        #expect(first?.changeTag != second?.changeTag)
        #expect(UUID(uuidString: first?.name.rawValue ?? "") != nil)
    }

    @Test func theTypeOfARecordCannotChange() throws {
        var planner = Self.planner([try Self.stored()])
        let operation =
            #"{"operationType":"forceUpdate","record":{"recordName":"a","recordType":"Task","fields":{}}}"#
        guard case .decided(let outcome) = planner.decide(try Self.request(operation)).0,
            case .failed(let error, _, _) = outcome.operations[0]
        else {
            Issue.record("not refused")
            return
        }
        #expect(error.reasonCode == "record_type_changed")
    }
}
