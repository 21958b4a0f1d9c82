import CloudKitWire
import FoundationEssentials
import Synchronization
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite struct ImporterTests {
    private func operation(_ name: String, _ n: Int) -> String {
        #"{"operationType":"forceReplace","record":{"recordName":"\#(name)","fields":{"n":{"value":\#(n)}}}}"#
    }

    /// Imports `text` into `service`, and returns the report and the numbers of the rejected lines.
    private func run(
        _ text: String, _ service: FakeService, zone: String? = "Z", batch: Int = 4
    ) async throws -> (report: ImportReport, rejected: [Int]) {
        let path = FileManager.default.temporaryDirectory.appending(path: "zonda-\(UUID().uuidString).ndjson").path
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let rejected = Rejected()
        let importer = Importer(
            plan: Importer.Plan(zone: zone, batchCount: batch, inFlight: 3), requester: service,
            reject: { line, _ in rejected.add(line.number) })
        var lines = try LineReader(path: path)
        return (try await importer.run(&lines), rejected.numbers)
    }

    private final class Rejected: Sendable {
        private let lines = Mutex<[Int]>([])
        var numbers: [Int] { lines.withLock { $0.sorted() } }
        func add(_ number: Int) { lines.withLock { $0.append(number) } }
    }

    @Test func everyLineTakesEffectAndTwoOfOneNameInOrderAndNeverAtOnce() async throws {
        let service = FakeService(zones: ["Z"])
        let text = (0..<300).map { operation("r\($0 % 17)", $0) }.joined(separator: "\n")
        let (report, _) = try await run(text, service)
        #expect(report.saved == 300)
        #expect(report.failed == 0)
        #expect(await service.overlaps == 0)
        let records = await service.records(inZone: "Z")
        #expect(records.count == 17)
        for index in 0..<17 {
            let last = (0..<300).last { $0 % 17 == index }.map(Int64.init)
            #expect(records["r\(index)"]?["fields"]?["n"]?["value"]?.int == last)
        }
    }

    @Test func emptyLinesAreSkippedAndAMissingNewlineAtTheEndDoesNotMatter() async throws {
        let service = FakeService(zones: ["Z"])
        let (report, _) = try await run("\n\(operation("a", 1))\r\n\n\(operation("b", 2))", service)
        #expect(report.lines == 2)
        #expect(report.saved == 2)
    }

    @Test func aLineThatIsNotAnOperationFailsAloneAndIsRejected() async throws {
        let service = FakeService(zones: ["Z"])
        let (report, rejected) = try await run("\(operation("a", 1))\n{oops\n{\"a\":1}\n\(operation("b", 2))", service)
        #expect(report.saved == 2)
        #expect(report.failed == 2)
        #expect(rejected == [2, 3])
        #expect(report.errors == ["BAD_REQUEST": 2])
    }

    @Test func aRecordThatTheServiceRefusesFailsAloneWithTheServicesCode() async throws {
        let service = FakeService(zones: ["Z"], faults: FakeService.Faults(refusedName: "r3"))
        let text = (0..<9).map { operation("r\($0)", $0) }.joined(separator: "\n")
        let (report, rejected) = try await run(text, service)
        #expect(report.saved == 8)
        #expect(report.errors == ["CONFLICT": 1])
        #expect(rejected == [4])
    }

    @Test func aRequestRefusedForOneLineIsSplitUntilThatLineIsAlone() async throws {
        let service = FakeService(zones: ["Z"], faults: FakeService.Faults(poisonName: "r6"))
        let text = (0..<20).map { operation("r\($0)", $0) }.joined(separator: "\n")
        let (report, rejected) = try await run(text, service, batch: 20)
        #expect(report.saved == 19)
        #expect(rejected == [7])
    }

    @Test func aMissingZoneEndsTheImportAtOnce() async throws {
        let service = FakeService()
        let failure = await #expect(throws: RequestFailure.self) { _ = try await run(operation("a", 1), service) }
        #expect(failure?.code == "ZONE_NOT_FOUND")
    }

    @Test func linesGoIntoTheZonesThatTheyNameAndTheZoneOptionTakesAllOfThem() async throws {
        let lines = (0..<40).map { number in
            #"{"operationType":"forceReplace","zoneID":{"zoneName":"\#(number % 2 == 0 ? "A" : "B")"},"#
                + #""record":{"recordName":"r\#(number % 20)","fields":{"n":{"value":\#(number)}}}}"#
        }
        let zones = ["A", "B"].map { #"{"operationType":"create","zone":{"zoneID":{"zoneName":"\#($0)"}}}"# }
        let service = FakeService()
        let (report, _) = try await run((zones + lines).joined(separator: "\n"), service, zone: nil)
        #expect(report.zones == 2 && report.saved == 40 && report.failed == 0)
        #expect(await service.records(inZone: "A").count == 10)
        #expect(await service.records(inZone: "B")["r7"]?["fields"]?["n"]?["value"] == 27)
        let other = FakeService(zones: ["Z"])
        let (second, _) = try await run((zones + lines).joined(separator: "\n"), other)
        #expect(second.zones == 0 && second.saved == 40)
        #expect(await other.records(inZone: "Z").count == 20)
    }

    @Test func aLineWithoutAZoneIsRefusedWhenNoneIsGiven() async throws {
        let (report, rejected) = try await run(operation("a", 1), FakeService(zones: ["Z"]), zone: nil)
        #expect(report.failed == 1 && rejected == [1])
    }

    private func child(_ name: String, of parent: String, _ n: Int) -> String {
        #"{"operationType":"forceReplace","record":{"recordName":"\#(name)","parent":{"recordName":"\#(parent)"},"#
            + #""fields":{"n":{"value":\#(n)}}}}"#
    }

    @Test(arguments: [1, 5])
    func recordsMayComeBeforeTheirParentsAndEachEndsAsItsLastLineSays(batch: Int) async throws {
        // r20 … r1, each a child of the next one, and r0 at the end. Half of them have a later line.
        let children = (1...20).reversed().map { child("r\($0)", of: "r\($0 - 1)", $0) }
        let later = stride(from: 2, through: 20, by: 2).map { child("r\($0)", of: "r\($0 - 1)", 100 + $0) }
        let text = (children + later + [operation("r0", 0)]).joined(separator: "\n")
        let service = FakeService(zones: ["Z"])
        let (report, rejected) = try await run(text, service, batch: batch)
        #expect(report.saved == 31 && report.lines == 31 && rejected.isEmpty)
        let records = await service.records(inZone: "Z")
        for index in 1...20 {
            let expected = Int64(index % 2 == 0 ? 100 + index : index)
            #expect(records["r\(index)"]?["fields"]?["n"]?["value"]?.int == expected)
        }
        #expect(await service.overlaps == 0)
    }

    @Test func aRecordWhoseParentNeverComesFailsWithItsLineAndItsLaterLinesTakeEffect() async throws {
        let text = [child("a", of: "nobody", 1), operation("b", 2), operation("a", 3), child("c", of: "a", 4)]
        let service = FakeService(zones: ["Z"])
        let (report, rejected) = try await run(text.joined(separator: "\n"), service)
        #expect(rejected == [1])
        #expect(report.errors == ["VALIDATING_REFERENCE_ERROR": 1] && report.saved == 3)
        #expect(await service.records(inZone: "Z").count == 3)
    }

    @Test func aFileThatCannotBeOpenedIsReportedByName() {
        let fault = #expect(throws: LineReader.Fault.self) { _ = try LineReader(path: "/nowhere/at/all") }
        #expect(fault?.description.contains("/nowhere/at/all") == true)
    }
}
