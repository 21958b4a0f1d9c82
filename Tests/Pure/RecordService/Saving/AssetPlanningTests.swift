import AMQPClient
import CloudKitModel
import CloudKitWire
import ServiceMessages
import ServiceRuntime
import Testing

@testable import RecordService
@testable import RecordStorage

/// The planner's decisions about assets.
struct AssetPlanningTests {
    static let zone = BatchPlannerTests.zone
    static let photo = RecordTypeSchema(
        id: RecordTypeID(4), name: "Photo", fields: ["n": .int64, "cover": .asset, "photos": .list(.asset)])

    static func planner(_ fields: String?, isOmitted: Bool = false) throws -> BatchPlanner {
        var records: [RecordKey: StoredRecord] = [:]
        let key = RecordKey(zone: zone.row, name: "a")
        if let fields {
            var record = try BatchPlannerTests.stored()
            record.type = photo.id
            record.fields = try StoredFields(parsing: Array(fields.utf8))
            records[key] = record
        }
        return BatchPlanner(
            counters: [zone.row: 10], records: records, graph: BatchPlannerTests.unreferenced,
            omitted: isOmitted ? [key] : [],
            schema: BatchPlanner.SchemaView(
                named: { name, _ in name == "Photo" ? photo : nil }, identified: { $0 == photo.id ? photo : nil }),
            assets: AssetAdmission { _ in
                AssetReceipt(
                    blob: 7, checksum: AssetAdmissionTests.checksum, size: 5, scope: AssetScope(zone.address),
                    expiresAt: 2000)
            }, limits: Limits(), now: 1000)
    }

    static func operation(_ kind: String, _ fields: String = "") -> String {
        #"{"operationType":"\#(kind)","record":{"recordName":"a","recordType":"Photo","fields":{\#(fields)}}}"#
    }

    static let uploaded =
        #"{"fileChecksum":"\#(AssetAdmissionTests.checksum.fileChecksum)","size":5,"receipt":"r","blob":99}"#

    @Test func theBlobIsTheReceipts() throws {
        var planner = try Self.planner(nil)
        let (decision, _) = planner.decide(
            try BatchPlannerTests.request(Self.operation("create", #""cover":{"value":\#(Self.uploaded)}"#)))
        guard case .decided(let outcome) = decision, case .saved(let record) = outcome.operations[0] else {
            Issue.record("not saved")
            return
        }
        #expect(try record.fields?.value("cover", as: .asset) == .asset(AssetAdmissionTests.stored))
        #expect(planner.assetsChanged.map(\.name) == ["a"])
    }

    @Test(arguments: [
        ("forceUpdate", #""n":{"value":1}"#, []), ("forceUpdate", #""cover":{"value":null}"#, []),
        ("forceUpdate", #""photos":{"value":[{"fileChecksum":"c3"},{"fileChecksum":"c1"}]}"#, ["c2"]),
        ("forceReplace", "", ["c1", "c2", "c3"]), ("forceDelete", "", ["c1", "c2", "c3"]),
    ])
    func aChangeTellsWhatItDropped(kind: String, fields: String, dropped: [String]) throws {
        var planner = try Self.planner(
            #"{"cover":{"fileChecksum":"c1"},"photos":[{"fileChecksum":"c2"},{"fileChecksum":"c3"},{"fileChecksum":"c1"}]}"#
        )
        // "c1" is in both fields. It is dropped when the second one no longer contains it.
        let (_, changes) = planner.decide(try BatchPlannerTests.request(Self.operation(kind, fields)))
        #expect(changes.map { $0.droppedAssets } == [dropped])
        #expect(planner.assetsChanged.isEmpty == (fields.contains(#""n""#)))
    }

    @Test func ofFieldsThatWereNotReadNothingIsKnown() throws {
        for kind in ["forceDelete", "forceReplace"] {
            var planner = try Self.planner("{}", isOmitted: true)
            let (_, changes) = planner.decide(try BatchPlannerTests.request(Self.operation(kind)))
            #expect(changes.map(\.droppedAssets) == [[]])
            #expect(planner.assetsChanged.map(\.name) == ["a"])
        }
        // Only the record shows whether an asset without a receipt may stay.
        var planner = try Self.planner("{}", isOmitted: true)
        let (decision, _) = planner.decide(
            try BatchPlannerTests.request(Self.operation("forceReplace", #""cover":{"value":{"fileChecksum":"c1"}}"#)))
        guard case .postponed = decision else {
            Issue.record("\(decision)")
            return
        }
    }

    @Test func aRefusedAssetFailsItsOperationOnly() throws {
        var planner = try Self.planner(nil)
        let other = #"{"operationType":"create","record":{"recordName":"b","recordType":"Photo","fields":{}}}"#
        let (decision, changes) = planner.decide(
            try BatchPlannerTests.request(
                Self.operation("create", #""cover":{"value":{"fileChecksum":"c1"}}"#) + "," + other, atomic: false))
        guard case .decided(let outcome) = decision, case .failed(let error, let name, _) = outcome.operations[0] else {
            Issue.record("not refused")
            return
        }
        #expect(error.field == "cover")
        #expect(name == "a")
        #expect(changes.map(\.name) == ["b"])
        #expect(planner.assetsChanged.isEmpty)
    }
}
