import CloudKitWire
import NIOCore
import ServiceMessages
import Synchronization
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite struct ExporterTests {
    /// Runs an export and returns its lines.
    private func export(
        _ zones: [String]?, from requester: any Requester
    ) async throws -> (lines: [JSONValue], report: ExportReport) {
        let text = Mutex("")
        let exporter = Exporter(requester: requester) { lines in text.withLock { $0 += String(buffer: lines) } }
        let report = try await exporter.run(zones)
        let lines = text.withLock { $0 }
        #expect(report.bytes == lines.utf8.count)
        return (try lines.split(separator: "\n").map { try JSONValue(parsing: String($0)) }, report)
    }

    private func save(_ names: some Sequence<String>, zone: String, in service: FakeService) async throws {
        _ = try await service.ask(
            .recordsModify,
            [
                "zoneID": ["zoneName": .string(zone)],
                "operations": .array(
                    names.map { ["operationType": "forceReplace", "record": ["recordName": .string($0)]] }),
            ], limit: .seconds(1))
    }

    private func delete(_ name: String, zone: String, in service: FakeService) async throws {
        _ = try await service.ask(
            .recordsModify,
            [
                "zoneID": ["zoneName": .string(zone)],
                "operations": [["operationType": "forceDelete", "record": ["recordName": .string(name)]]],
            ], limit: .seconds(1))
    }

    @Test func everyZoneButTheDefaultOneIsMadeBeforeItsRecordsAndEachRecordHasAnImportableLine() async throws {
        let service = FakeService(zones: ["A", "B", "_defaultZone"])
        try await save((0..<20).map { "r\($0)" }, zone: "A", in: service)
        try await save(["d"], zone: "_defaultZone", in: service)
        let (lines, report) = try await export(nil, from: service)
        #expect(report.zones == 3 && report.records == 21 && report.deleted == 0)
        #expect(lines.count == 23)
        #expect(lines[0] == ["operationType": "create", "zone": ["zoneID": ["zoneName": "A"]]])
        #expect(lines.count { $0["zone"] != nil } == 2)
        #expect(lines.last?["zoneID"] == ["zoneName": "_defaultZone"])
        for line in lines where line["record"] != nil {
            guard case .record(let read) = try ImportLine.content(of: line.encoded(), number: 1, zone: nil) else {
                Issue.record("no record's line: \(line)")
                continue
            }
            #expect(read.recordName == line["record"]?["recordName"]?.string)
        }
    }

    /// Executes a closure after the first page of a feed.
    private actor Meddler: Requester {
        let service: FakeService
        let meddle: @Sendable (FakeService) async throws -> Void
        private var pages = 0

        init(_ service: FakeService, _ meddle: @escaping @Sendable (FakeService) async throws -> Void) {
            self.service = service
            self.meddle = meddle
        }

        func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
            let answer = try await service.ask(request, limit: limit)
            if request.operation == .changesZone {
                pages += 1
                if pages == 1 { try? await meddle(service) }
            }
            return answer
        }
    }

    @Test func aRecordThatChangesOrIsDeletedDuringTheWalkHasItsFinalStateInItsLastLine() async throws {
        let service = FakeService(zones: ["A"])
        try await save((0..<20).map { "r\($0)" }, zone: "A", in: service)
        let meddler = Meddler(service) { service in
            try await save(["r1", "new"], zone: "A", in: service)
            try await delete("r2", zone: "A", in: service)
            try await delete("r15", zone: "A", in: service)
        }
        let (lines, report) = try await export(["A"], from: meddler)
        var state: [String: String] = [:]
        for line in lines.dropFirst() {
            state[line["record"]?["recordName"]?.string ?? ""] = line["operationType"]?.string
        }
        let live = state.filter { $0.value == "forceReplace" }.keys.sorted()
        let stored = await service.records(inZone: "A").keys.sorted()
        #expect(live == stored)
        #expect(report.deleted == 2 && state["r2"] == "forceDelete")
    }

    @Test func aZoneDeletedBeforeItsTurnIsLeftOutAndOneDeletedDuringItsWalkFailsTheExport() async throws {
        for (zone, zones) in [("B", ["A", "B"]), ("A", ["A"])] {
            let service = FakeService(zones: zones)
            try await save((0..<20).map { "r\($0)" }, zone: "A", in: service)
            let meddler = Meddler(service) { service in
                _ = try await service.ask(.zonesModify, ZoneRequests.modify(.delete, [zone]), limit: .seconds(1))
            }
            if zone == "B" {
                #expect(try await export(nil, from: meddler).report.zones == 1)
            } else {
                let failure = await #expect(throws: RequestFailure.self) { _ = try await export(nil, from: meddler) }
                #expect(failure?.code == "ZONE_NOT_FOUND")
            }
        }
        let failure = await #expect(throws: RequestFailure.self) {
            _ = try await export(["Nowhere"], from: FakeService())
        }
        #expect(failure?.code == "ZONE_NOT_FOUND")
    }

    @Test func aLineHasOnlyPortableValuesWithoutAddressesAndOwnersOfOwnZones() throws {
        let checksum = AssetBytes([1, 2, 3]).checksum
        let asset: JSONValue = [
            "fileChecksum": .string(checksum.fileChecksum), "size": 3, "downloadURL": "http://x/${f}",
        ]
        let record: JSONValue = [
            "recordName": "a", "recordType": "T", "deleted": false, "pluginFields": [:], "recordChangeTag": "t",
            "zoneID": ["zoneName": "Z", "ownerRecordName": "_me"], "parent": ["recordName": "p"],
            "fields": [
                "photo": ["value": asset, "type": "ASSETID"],
                "photos": ["value": [asset], "type": "ASSETID_LIST"],
                "own": [
                    "value": ["recordName": "b", "zoneID": ["zoneName": "Z", "ownerRecordName": "_me"]],
                    "type": "REFERENCE",
                ],
                "others": [
                    "value": [["recordName": "b", "zoneID": ["zoneName": "Z", "ownerRecordName": "_you"]]],
                    "type": "REFERENCE_LIST",
                ],
                "big": ["value": .int(.max), "type": "INT64", "isEncrypted": true],
            ],
        ]
        let exported = ExportedRecord(record, zone: "Z")
        let bare: JSONValue = ["fileChecksum": .string(checksum.fileChecksum), "size": 3]
        #expect(exported.assets.map(\.checksum) == [checksum, checksum])
        #expect(
            exported.line == [
                "operationType": "forceReplace", "zoneID": ["zoneName": "Z"],
                "record": [
                    "recordName": "a", "recordType": "T", "recordChangeTag": "t", "parent": ["recordName": "p"],
                    "fields": [
                        "photo": ["value": bare, "type": "ASSETID"],
                        "photos": ["value": [bare], "type": "ASSETID_LIST"],
                        "own": ["value": ["recordName": "b", "zoneID": ["zoneName": "Z"]], "type": "REFERENCE"],
                        "others": [
                            "value": [["recordName": "b", "zoneID": ["zoneName": "Z", "ownerRecordName": "_you"]]],
                            "type": "REFERENCE_LIST",
                        ],
                        "big": ["value": .int(.max), "type": "INT64", "isEncrypted": true],
                    ],
                ],
            ])
    }

    @Test func sharingIsNotExported() throws {
        let share = try JSONValue(
            parsing: """
                {"recordName":"S","recordType":"cloudkit.share","shortGUID":"g","participants":[{"participantId":"1.1",
                "userIdentity":{"lookupInfo":{"emailAddress":"ada@example.org"}}}]}
                """)
        #expect(ExportedRecord.isShare(share))
        #expect(ExportedRecord.isShare(["recordName": "S", "recordType": "cloudkit.share", "deleted": true]))
        let root: JSONValue = [
            "recordName": "list", "recordType": "List", "fields": ["n": ["value": 1]], "shortGUID": "g",
            "share": ["recordName": "S"], "participants": [], "owner": [:], "currentUserParticipant": [:],
            "publicPermission": "NONE", "parent": ["recordName": "p"],
        ]
        #expect(!ExportedRecord.isShare(root))
        #expect(
            ExportedRecord(root, zone: "A").line["record"] == [
                "recordName": "list", "recordType": "List", "fields": ["n": ["value": 1]],
                "parent": ["recordName": "p"],
            ])
    }
}
