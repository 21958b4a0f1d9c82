import CloudKitWire
import Testing

@testable import CommandLineSession
@testable import FakeServices
@testable import LoadGenerator

/// A load with participants, whose services are in memory.
@Suite(.timeLimit(.minutes(1))) struct SharedLoadTests {
    private func run(
        _ faults: FakeParticipant.Faults = FakeParticipant.Faults(), service: FakeService = FakeService(),
        change: (inout LoadPlan) -> Void = { _ in }
    ) async throws -> LoadReport {
        var plan = LoadPlan()
        plan.producers = 2
        plan.inFlight = 4
        plan.zones = 2
        plan.participants = 3
        plan.shares = 4
        plan.duration = .seconds(60)
        plan.requestsPerSlot = 60
        plan.verifies = true
        plan.seed = 42
        change(&plan)
        let names = LoadNames.newUsers(plan.participants)
        let producers = (0..<plan.producers).map { _ in
            LoadUsers(
                owner: service, ownerName: "_owner",
                participants: names.map { name in
                    LoadUsers.Participant(
                        name: name, shared: FakeParticipant(of: service, faults: faults), accepting: service)
                })
        }
        return try await LoadRun(plan: plan, producers: producers).run()
    }

    @Test(arguments: [1, 4]) func aServiceThatKeepsItsPromisesPasses(shares: Int) async throws {
        let report = try await run { $0.shares = shares }
        #expect(report.isGood, "\(report.lines)")
        let findings = try #require(report.findings)
        #expect(findings == ZoneAudit.Findings(checked: findings.checked))
        #expect(findings.checked > report.counts.acknowledged / 2)
    }

    @Test func aHiddenRecordThatIsShownIsFoundAsForeign() async throws {
        let report = try await run(FakeParticipant.Faults(showsHidden: true))
        #expect(!report.isGood)
        #expect(report.findings?.foreign ?? 0 > 0)
        #expect(report.findings?.missing == 0 && report.findings?.lost == 0)
    }

    @Test func aRecordThatTheFeedOfAParticipantOmitsIsFoundAsMissing() async throws {
        let report = try await run(FakeParticipant.Faults(skipsEvery: 7))
        #expect(!report.isGood)
        #expect(report.findings?.missing ?? 0 > 0)
    }

    /// Only a copy that is kept with tokens shows this error: a later walk from the beginning is complete.
    @Test func aChangeThatTheFeedOmitsAfterATokenIsFoundAsLost() async throws {
        let report = try await run(FakeParticipant.Faults(losesEvery: 3)) {
            $0.rate = 200
            $0.duration = .seconds(1)
            $0.requestsPerSlot = nil
        }
        #expect(!report.isGood)
        #expect(report.findings?.lost ?? 0 > 0)
    }

    @Test func aRefusedWriteOfAParticipantFails() async throws {
        let report = try await run(FakeParticipant.Faults(refusesEvery: 10))
        #expect(!report.isGood)
        #expect(report.counts.errors["ZONE_NOT_FOUND"] == report.counts.failed)
        #expect(report.counts.failed > 0)
        #expect(report.findings?.missing == 0)
    }

    @Test func aDroppedWriteIsFoundAsMissingOrStaleByTheParticipantsToo() async throws {
        let report = try await run(service: FakeService(faults: FakeService.Faults(dropsEvery: 5)))
        #expect(!report.isGood)
        #expect((report.findings?.missing ?? 0) + (report.findings?.stale ?? 0) > 0)
        #expect(report.findings?.lost ?? 0 > 0)
    }

    @Test func theRecordsOfAShareHaveItsRootAsParentAndTheZoneItsOwner() throws {
        let names = LoadNames(run: "r" + String(UInt64.max, radix: 36), zonePrefix: "load")
        let size = LoadBodies.leastSharedSizeBytes
        let bodies = LoadBodies(names: names, owner: "_owner", slot: 99_999, sizeBytes: size, seed: 1)
        let writes = (0..<2).map { RecordLedger.Write(record: 99_999_998 + $0, number: .max) }
        let json = try JSONValue(parsing: bodies.modify(zone: 0, share: 9999, writes, fillerOffset: 0))
        #expect(json["zoneID"]?["ownerRecordName"] == "_owner")
        let operations = json["operations"]?.array ?? []
        #expect(
            operations.map { $0["record"]?["parent"]?["recordName"]?.string } == [names.root(9999), names.root(9999)])
        #expect(operations.allSatisfy { $0.encoded().count == size })
        #expect(try JSONValue(parsing: bodies.lookup(zone: 0, records: [1]))["zoneID"]?["ownerRecordName"] == "_owner")
        #expect(names.record(named: names.root(9999)) == nil)
    }

    @Test func sharesAndTheUnsharedPartsOfTheirZonesAreThePlaces() {
        let places = LoadPlaces(zones: 2, shares: 3)
        #expect((0..<places.count).map { places.share(of: $0) } == [0, 1, 2, nil, nil])
        #expect((0..<places.count).map { places.zone(of: $0) } == [0, 1, 0, 0, 1])
        #expect(places.sharedZones == 0..<2)
        var plan = LoadPlan()
        plan.zones = 3
        #expect(plan.places == LoadPlaces(zones: 3, shares: 0))
        plan.participants = 10
        #expect(plan.places == LoadPlaces(zones: 1, shares: 1))
    }
}
