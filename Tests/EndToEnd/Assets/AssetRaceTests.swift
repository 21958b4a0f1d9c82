import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
    /// Saves, uploads of the same contents and deletions race, with lifetimes of a second. No record ever refers to
    /// missing or wrong bytes, and no content remains to which no record refers.
    @Suite(.timeLimit(.minutes(5))) struct AssetRaceTests {
        private static let haste = [
            "ZONDA_ASSET_GRACE": "1s", "ZONDA_ASSET_RECEIPT_LIFE": "2s", "ZONDA_ASSET_SWEEP": "1s",
        ]
        /// The duration of the race; `ZONDA_TEST_RACE_SECONDS` shortens it.
        private static let duration = Duration.seconds(
            ProcessInfo.processInfo.environment["ZONDA_TEST_RACE_SECONDS"].flatMap { Int($0) } ?? 10)

        @Test func noRecordEverPointsToMissingBytes() async throws {
            try await ServiceStack.with { stack in
                let services = [
                    try await stack.startService(.asset, Self.haste), try await stack.startService(.asset, Self.haste),
                    try await stack.startService(), try await stack.startService(),
                ]
                let client = stack.client()
                try await client.zones("create", "Notes")
                let race = AssetRace(client: client, duration: Self.duration)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<8 { group.addTask { try await race.run(number) } }
                    try await group.waitForAll()
                }
                let tally = race.tally.withLock { $0 }
                print("race: \(tally)")
                #expect(tally.faults == [])
                #expect(tally.checks > 0 && tally.saves > 0 && tally.deletions > 0)
                // After the grace period, the lifetime of a receipt and a sweep, nothing is left.
                try await eventually("nothing is left", within: .seconds(30)) {
                    let rows = try await stack.database.query("select count(*) from asset.blob")
                    return rows.first?.int64(0) == 0 && stack.blobFiles.isEmpty ? true : nil
                }
                let uses = try await stack.database.query("select count(*) from record.asset_use")
                #expect(uses.first?.int64(0) == 0)
                #expect(try await services[0].metric("zonda_asset_deleted_total") > 0)
                for service in services { #expect(service.errors == []) }
            }
        }
    }
}

/// Workers that have their own records and share their contents.
private final class AssetRace: Sendable {
    struct Tally: CustomStringConvertible {
        var uploads = 0
        var saves = 0
        var refusedSaves = 0
        var deletions = 0
        var checks = 0
        var faults: [String] = []

        var description: String {
            "uploads \(uploads), saves \(saves), refused saves \(refusedSaves), deletions \(deletions), checks \(checks)"
        }
    }

    let client: TestClient
    let end: ContinuousClock.Instant
    let contents = (1...6).map { randomBytes($0 * 7_000) }
    let tally = Mutex(Tally())

    init(client: TestClient, duration: Duration) {
        self.client = client
        end = .now + duration
    }

    /// Runs one worker until the end, and then deletes its records.
    func run(_ number: Int) async throws {
        let names = (0..<3).map { "worker-\(number)-\($0)" }
        var held: [String: Int] = [:]
        while ContinuousClock.now < end {
            let name = names.randomElement() ?? names[0]
            switch Int.random(in: 0..<10) {
            case 0..<4:
                if let content = try await save(name) { held[name] = content }
            case 4..<7:
                try await client.delete("Notes", name)
                held[name] = nil
                tally.withLock { $0.deletions += 1 }
            default:
                if let content = held[name] { try await check(name, contents[content]) }
            }
        }
        for (name, content) in held { try await check(name, contents[content]) }
        for name in names { try await client.delete("Notes", name) }
    }

    /// Uploads one of the contents and saves it.
    ///
    /// - Returns: the content's number; nil if the receipt was no longer valid.
    private func save(_ name: String) async throws -> Int? {
        let content = Int.random(in: contents.indices)
        let asset =
            Bool.random()
            ? try await client.upload(contents[content])
            : try #require(try await client.put(contents[content])["singleFile"])
        let reply = try await client.modify("Notes", .operation("forceReplace", name, ["file": asset]))
        let record = try #require(reply["records"]?[0])
        tally.withLock { $0.uploads += 1 }
        guard record.errorCode == nil else {
            tally.withLock { tally in
                tally.refusedSaves += 1
                if record.reasonCode != "asset_receipt_expired" { tally.faults.append("\(record)") }
            }
            return nil
        }
        tally.withLock { $0.saves += 1 }
        return content
    }

    private func check(_ name: String, _ bytes: [UInt8]) async throws {
        let url = try await client.downloadURL("Notes", name)
        let response = try await AssetClient.get(url)
        tally.withLock { tally in
            tally.checks += 1
            if response.status != 200 || response.body != bytes {
                tally.faults.append("\(name): \(response.status) \(response.json)")
            }
        }
    }
}
