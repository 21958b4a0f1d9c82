import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// `zonda load assets` with all its operations, while services are killed and servers restarted. The grace is so
    /// short that contents are deleted all the time. No acknowledged reference ever points to missing or wrong bytes,
    /// and at the end nothing is left.
    @Suite(.timeLimit(.minutes(30))) struct AssetSoakTests {
        /// The duration of the load; `ZONDA_TEST_SOAK_SECONDS` changes it.
        private static let seconds =
            ProcessInfo.processInfo.environment["ZONDA_TEST_SOAK_SECONDS"].flatMap { Int($0) } ?? 60
        private static let haste = [
            "ZONDA_ASSET_GRACE": "2s", "ZONDA_ASSET_RECEIPT_LIFE": "10s", "ZONDA_ASSET_SWEEP": "1s",
        ]
        /// The number of uploads that an instance accepts before it is killed.
        private static let uploadsOfALife = 60

        @Test func nothingIsLostAndNothingIsLeft() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService()
                var first = try await stack.startService(.asset, Self.haste)
                let second = try await stack.startService(.asset, Self.haste)
                let end = ContinuousClock.now + .seconds(Self.seconds)
                let load = try stack.zonda(
                    [
                        "load", "assets", "--producers", "4", "--in-flight", "3", "--size", "30000", "--duration",
                        "\(Self.seconds)s", "--verify", "--drain", "60s", "--json",
                    ], as: stack.client())
                var troubles = [("rabbitmq", Self.seconds / 3), ("postgres", Self.seconds * 2 / 3)][...]
                var (kills, counts) = (0, Counts())
                while ContinuousClock.now < end {
                    try await eventually("an instance works", within: .seconds(60)) {
                        try await first.metric("zonda_asset_uploads_total") >= Self.uploadsOfALife
                            || ContinuousClock.now >= end ? true : nil
                    }
                    try await counts.add(first)
                    first.kill()
                    try await first.exit(within: .seconds(10))
                    kills += 1
                    if let (server, time) = troubles.first, ContinuousClock.now > end - .seconds(Self.seconds - time) {
                        try await stack.environment.control("restart", server)
                        troubles.removeFirst()
                    }
                    // The new instance has the same address, so that the URLs issued before remain valid.
                    first = try await stack.startService(
                        .asset, Self.haste.merging(["ZONDA_HTTP_PORT": "\(stack.assetPort)"]) { $1 })
                }
                let exit = try await load.exit(within: .seconds(Self.seconds + 300))
                try await counts.add(first)
                try await counts.add(second)
                let report = try JSONValue(parsing: load.outputText)
                let text = String(decoding: report.encoded(), as: UTF8.self)
                print("soak: kills \(kills), contents deleted \(counts.deleted), revived \(counts.revived); \(text)")
                #expect(exit == .code(0), "\(load.errorText.suffix(500))")
                for count in ["wrongBytes", "missing", "unverified", "left"] {
                    #expect(report[count]?.int == 0, "\(count): \(text)")
                }
                #expect(kills > 1 && troubles.isEmpty && counts.deleted > 0)
                // A killed instance may leave a file without a row. The reconciliation removes such a file when it is
                // an hour old.
                #expect(stack.blobFiles.count <= kills)
                let rows = try await stack.database.query(
                    "select (select count(*) from asset.blob), (select count(*) from record.asset_use)")
                let states = try await stack.database.query(
                    """
                    select state::text || ' ' || count(*) || ', receipts until ' || max(receipt_until) || ', due '
                        || coalesce(max(due)::text, '-') || ', now ' || now() from asset.blob group by state
                    """)
                #expect(
                    rows.first.map { [$0.int64(0), $0.int64(1)] } == [0, 0], "\(states.map { $0.string(0) })")
            }
        }

        /// The counts of the instances before they were killed.
        private struct Counts {
            var deleted = 0
            var revived = 0

            mutating func add(_ service: ServiceProcess) async throws {
                deleted += try await service.metric("zonda_asset_deleted_total")
                revived += try await service.metric("zonda_asset_revived_total")
            }
        }
    }
}
