import CloudKitWire
import Crypto
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A content is deleted after a grace when nothing refers to it any more, and never earlier.
    @Suite(.timeLimit(.minutes(4))) struct AssetDeletionTests {
        /// Settings with lifetimes of seconds.
        static let haste = [
            "ZONDA_ASSET_GRACE": "1s", "ZONDA_ASSET_RECEIPT_LIFE": "3s", "ZONDA_ASSET_SWEEP": "1s",
        ]

        @Test func contentOfTwoRecordsGoesWithTheSecond() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService(.asset, Self.haste)
                try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                let bytes = randomBytes(50_000_000)
                for name in ["a", "b"] {
                    try await client.save("Notes", name, ["file": try await client.upload(bytes)])
                }
                #expect(stack.blobFiles.count == 1)
                #expect(try await stack.blobRows(of: bytes) == 1)
                try await client.delete("Notes", "a")
                try await Self.waitForSweeps(4, of: service)
                #expect(try await client.bytes("Notes", "b") == bytes)
                try await client.delete("Notes", "b")
                try await eventually("the content is gone") {
                    let rows = try await stack.blobRows(of: bytes)
                    return rows == 0 && stack.blobFiles.isEmpty ? true : nil
                }
                #expect(try await service.metric("zonda_asset_deleted_total") == 1)
            }
        }

        @Test func receiptKeepsContentAsLongAsItIsGood() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.asset, Self.haste)
                try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                let asset = try await client.upload(randomBytes(1000))
                let began = ContinuousClock.now
                try await eventually("the content is gone") { stack.blobFiles.isEmpty ? true : nil }
                #expect(ContinuousClock.now - began > .seconds(3))
                // If the bytes of a receipt have been deleted, the error of the save names the field.
                let reply = try await client.modify("Notes", .operation("create", "a", ["photo": asset]))
                #expect(reply["records"]?[0]?["field"] == "photo")
            }
        }

        @Test func nilledReplacedAndCascadedReferencesAreDroppedWithoutASweep() async throws {
            try await ServiceStack.with { stack in
                // The sweep is too rare to help, so the events alone must cause the deletion.
                try await stack.startService(
                    .asset, Self.haste.merging(["ZONDA_ASSET_SWEEP": "1h", "ZONDA_ASSET_RECEIPT_LIFE": "1s"]) { $1 })
                try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                for name in ["nilled", "replaced", "deleted"] {
                    try await client.save("Notes", name, ["file": try await client.upload(randomBytes(1000))])
                }
                try #require(stack.blobFiles.count == 3)
                let kept = try await client.upload(randomBytes(1000))
                // A content that is dropped after its receipts have expired is condemned immediately.
                _ = try await eventually("the receipts expire") {
                    let rows = try await stack.database.query(
                        "select count(*) from asset.blob where receipt_until > now()")
                    return rows.first?.int64(0) == 1 ? true : rows.first?.int64(0) == 0 ? true : nil
                }
                _ = kept
                let bytes = randomBytes(1000)
                // A receipt is valid for one second, so on a busy machine a save can come too late.
                try await eventually("the save is accepted") {
                    let fresh = try await client.upload(bytes)
                    let reply = try await client.modify(
                        "Notes", .operation("forceUpdate", "nilled", ["file": nil]),
                        .operation("forceUpdate", "replaced", ["file": fresh]), .operation("forceDelete", "deleted"))
                    return reply["records"]?.array?.allSatisfy { $0["serverErrorCode"] == nil } == true ? true : nil
                }
                try await eventually("three contents are gone") {
                    let rows = try await stack.database.query(
                        "select count(*) from asset.blob where state = 'live'")
                    return rows.first?.int64(0) == 2 && stack.blobFiles.count == 2 ? true : nil
                }
                #expect(try await client.bytes("Notes", "replaced").count == 1000)
            }
        }

        @Test func contentOfADeletedZoneAndContainerGoes() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.asset, Self.haste)
                try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes", "Drafts")
                try await client.save("Notes", "a", ["file": try await client.upload(randomBytes(1000))])
                try await client.save("Drafts", "b", ["file": try await client.upload(randomBytes(1000))])
                try await client.zones("delete", "Notes")
                try await eventually("the zone's content is gone", within: .seconds(40)) {
                    stack.blobFiles.count == 1 ? true : nil
                }
                let reply = try await client.ask(.containersDelete, ["container": .string(stack.container)])
                try #require(reply.status == 200)
                try await eventually("the container's content is gone", within: .seconds(40)) {
                    stack.blobFiles.isEmpty ? true : nil
                }
            }
        }

        @Test func condemnedContentIsRevivedByAnUpload() async throws {
            try await ServiceStack.with { stack in
                let slow = Self.haste.merging(["ZONDA_ASSET_GRACE": "1h", "ZONDA_ASSET_RECEIPT_LIFE": "1s"]) { $1 }
                try await stack.startService(.asset, slow)
                try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                let bytes = randomBytes(1000)
                _ = try await client.upload(bytes)
                try await eventually("the content is condemned") {
                    let jobs = try await client.ask(.assetsJobs, ["container": .string(stack.container)])
                    return jobs["jobs"]?.array?.count == 1 ? true : nil
                }
                let again = try await client.upload(bytes)
                try await client.save("Notes", "a", ["file": again])
                let jobs = try await client.ask(.assetsJobs, ["container": .string(stack.container)])
                #expect(jobs["jobs"] == [])
                #expect(try await client.bytes("Notes", "a") == bytes)
                #expect(stack.blobFiles.count == 1)
            }
        }

        @Test func jobsThatWereLostAreFoundByTheSweep() async throws {
            try await ServiceStack.with { stack in
                var service = try await stack.startService(
                    .asset, Self.haste.merging(["ZONDA_ASSET_GRACE": "2s"]) { $1 })
                try await stack.startService()
                let client = stack.client()
                _ = try await client.upload(randomBytes(1000))
                try await eventually("the content is condemned") {
                    let jobs = try await client.ask(.assetsJobs, ["container": .string(stack.container)])
                    return jobs["jobs"]?.array?.count == 1 ? true : nil
                }
                service.kill()
                try await service.exit(within: .seconds(10))
                // The job's message is lost with its queue.
                _ = try await stack.environment.control(
                    "rabbitmqctl", "delete_queue", "--vhost", stack.vhost.name, "asset.jobs.wait.2s")
                service = try await stack.startService(
                    .asset, Self.haste.merging(["ZONDA_ASSET_GRACE": "2s"]) { $1 })
                try await eventually("the content is gone") { stack.blobFiles.isEmpty ? true : nil }
            }
        }

        private static func waitForSweeps(_ count: Int, of service: ServiceProcess) async throws {
            let before = try await service.metric("zonda_asset_sweeps_total")
            try await eventually("\(count) sweeps") {
                try await service.metric("zonda_asset_sweeps_total") >= before + count ? true : nil
            }
        }
    }
}
