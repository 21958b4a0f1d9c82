import AMQPClient
import AssetTestSupport
import CloudKitModel
import Foundation
import Logging
import PostgresClient
import RequestServing
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage
@testable import BlobStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct DeletionTests {
    /// The parts that delete assets, with a fake record service.
    struct Parts: Sendable {
        let stack: AssetStack
        let records: FakeRecordService
        let marker: UnusedBlobMarker
        let sweeper: Sweeper
        let holders: HolderReconciler
        let publisher: AMQPPublisher

        /// Uploads contents whose receipts have expired.
        func blobs(_ texts: String...) async throws -> [StoredBlob] {
            var assets: [UploadedAsset] = []
            for text in texts { assets.append(try await stack.upload(text)) }
            try await stack.expireReceipts()
            var rows: [StoredBlob] = []
            for asset in assets { rows.append(try #require(try await stack.row(asset))) }
            return rows
        }

        func find(_ blob: StoredBlob) async throws -> StoredBlob? {
            try await stack.table.find(blob.checksum, in: blob.container)
        }
    }

    static func with(
        _ manner: FakeRecordService.Manner, timeout: Duration = .seconds(20), _ body: (Parts) async throws -> Void
    ) async throws {
        try await AssetStack.with { stack in
            try await FakeRecordService.with(manner, timeout: timeout) { records, uses, publisher in
                let metrics = AssetMetrics(stack.host.metrics)
                let marker = UnusedBlobMarker(
                    grace: .seconds(60), table: stack.table, uses: uses, publisher: publisher, metrics: metrics)
                let holders = HolderReconciler(sweepInterval: .seconds(60), table: stack.table, uses: uses)
                let sweeper = Sweeper(
                    interval: .seconds(60), resumeLife: .seconds(60), ownership: stack.parts.ownership,
                    pool: stack.pool,
                    table: stack.table,
                    store: stack.store,
                    marker: marker, deleter: stack.parts.sweeper.deleter, holders: holders,
                    reconciler: Reconciler(
                        grace: .seconds(60), store: stack.store, table: stack.table, uses: uses,
                        verifier: stack.parts.scrubber.verifier, metrics: metrics, logger: stack.host.logger),
                    metrics: metrics, logger: stack.host.logger)
                try await body(
                    Parts(
                        stack: stack, records: records, marker: marker, sweeper: sweeper, holders: holders,
                        publisher: publisher))
            }
        }
    }

    static func event(dropping blobs: [StoredBlob]) -> ChangeEvent {
        let change = ChangedRecord(
            name: "r", type: "T", seq: 1, kind: .deleted, droppedAssets: blobs.map(\.checksum.fileChecksum))
        return ChangeEvent(
            address: ZoneAddress(
                container: AssetStack.container, environment: .development, scope: .public,
                owner: ZoneAddress.publicOwner, zone: "z"),
            incarnation: UUID(), fromSeq: 1, toSeq: 1, xid: 1, client: nil, user: "_world", at: 0, syncToken: "",
            records: ChangedRecord.json([change]), dropsAssets: true)
    }

    @Test func droppedContentThatNothingUsesIsCondemned() async throws {
        try await Self.with(.says(used: [])) { parts in
            let blobs = try await parts.blobs("dropped", "kept")
            parts.records.behave(.says(used: [blobs[1].id]))
            try await parts.marker.handle(Self.event(dropping: blobs))
            let (dropped, kept) = (try await parts.find(blobs[0]), try await parts.find(blobs[1]))
            #expect(dropped?.condemnation != nil)
            #expect(kept?.condemnation == nil)
            #expect(parts.stack.host.metrics.value(of: AssetMetrics.condemned) == 1)
        }
    }

    @Test func contentWithAReceiptIsNotEvenAskedFor() async throws {
        try await Self.with(.says(used: [])) { parts in
            let asset = try await parts.stack.upload("fresh")
            let row = try #require(try await parts.stack.row(asset))
            try await parts.marker.handle(Self.event(dropping: [row]))
            let after = try await parts.find(row)
            #expect(after?.condemnation == nil)
            #expect(parts.records.questions.elements.isEmpty)
        }
    }

    @Test(arguments: [FakeRecordService.Manner.isSilent, .fails])
    func nothingIsCondemnedWhileTheRecordServiceDoesNotSay(manner: FakeRecordService.Manner) async throws {
        try await Self.with(manner, timeout: .milliseconds(300)) { parts in
            let blobs = try await parts.blobs("unknown", "overdue")
            _ = try await parts.stack.table.condemn([blobs[1].id], grace: .seconds(-60))
            // An event is only a hint, so the sweep examines the blob later.
            try await parts.marker.handle(Self.event(dropping: blobs))
            try await parts.sweeper.runOnce()
            let unknown = try await parts.find(blobs[0])
            #expect(unknown?.condemnation == nil)
            // The rest of the sweep is executed.
            let overdue = try await parts.find(blobs[1])
            #expect(overdue == nil)
            // On a busy machine, another answer may be late.
            parts.records.behave(.says(used: []))
            var isCondemned = false
            for _ in 0..<20 where !isCondemned {
                try await parts.sweeper.runOnce()
                isCondemned = try await parts.find(blobs[0])?.condemnation != nil
            }
            #expect(isCondemned)
        }
    }

    @Test func theSweepFindsWhatNoEventNamed() async throws {
        try await Self.with(.says(used: [])) { parts in
            let blobs = try await parts.blobs("forgotten", "used")
            parts.records.behave(.says(used: [blobs[1].id]))
            try await parts.sweeper.runOnce()
            let (forgotten, used) = (try await parts.find(blobs[0]), try await parts.find(blobs[1]))
            #expect(forgotten?.condemnation != nil && used?.condemnation == nil)
            #expect(parts.records.questions.elements.first == blobs.map(\.id.rawValue).sorted())
        }
    }

    @Test func theSweepDeletesWhatItsAlarmWasLostFor() async throws {
        try await Self.with(.says(used: [])) { parts in
            let blobs = try await parts.blobs("gone", "in use again", "not yet")
            _ = try await parts.stack.table.condemn(blobs[..<2].map(\.id), grace: .seconds(-60))
            _ = try await parts.stack.table.condemn([blobs[2].id], grace: .seconds(60))
            try await parts.stack.use(blobs[1].id)
            try await parts.sweeper.runOnce()
            let gone = try await parts.find(blobs[0])
            #expect(gone == nil)
            let used = try await parts.find(blobs[1])
            #expect(used?.condemnation == nil)
            let waiting = try await parts.find(blobs[2])
            #expect(waiting?.condemnation != nil)
            let files = Set(parts.stack.files("blobs"))
            #expect(files == Set(blobs[1...].map(\.key.rawValue)))
        }
    }

    @Test func oneInstanceSweepsAtATime() async throws {
        try await Self.with(.says(used: [])) { parts in
            try await parts.stack.pool.withConnection { connection in
                let swept: Void? = try await connection.withAdvisoryLock(Sweeper.lock) {
                    try await parts.sweeper.runOnce()
                    #expect(parts.stack.host.metrics.value(of: AssetMetrics.sweeps) == 0)
                }
                #expect(swept != nil)
            }
            try await parts.sweeper.runOnce()
            try await parts.sweeper.runOnce()
            #expect(parts.stack.host.metrics.value(of: AssetMetrics.sweeps) == 2)
        }
    }

    @Test func messagesAreWorkedOffAndBadOnesRejected() async throws {
        try await Self.with(.says(used: [])) { parts in
            let blobs = try await parts.blobs("one", "two")
            _ = try await parts.stack.table.condemn([blobs[0].id], grace: .seconds(-1))
            let consumer = AMQPConsumer(
                configuration: try AMQPConfiguration(url: try TestEnvironment.required().amqpURL), consumptions: [],
                logger: parts.stack.host.logger)
            let work = DeletionWork(
                consumer: consumer, marker: parts.marker, deleter: parts.sweeper.deleter,
                holders: parts.holders, retry: parts.stack.host.retry, logger: parts.stack.host.logger)
            // The consumer is not connected. The test examines only the effect of the messages.
            let job = DeletionJob(blobs[0]).message(after: .seconds(1))
            for (queue, body) in [
                (Queue.assetJobs, job.body), (Queue.assetJobs, Array("{}".utf8)),
                (Queue.assetChanges, Self.event(dropping: [blobs[1]]).json(bounded: true)),
            ] {
                await work.handle(AMQPDelivery(queue: queue, deliveryTag: 1, body: body))
            }
            let gone = try await parts.find(blobs[0])
            #expect(gone == nil)
            let condemned = try await parts.find(blobs[1])
            #expect(condemned?.condemnation != nil)
        }
    }
}

struct DeletionJobTests {
    @Test func anAlarmWaitsInTheQueueOfItsGrace() throws {
        let checksum = BlobTableTests.checksum
        let blob = StoredBlob(
            id: BlobID(rawValue: 7), container: "c", checksum: checksum, size: 1, generation: UUID(), createdAt: 0,
            receiptUntil: 0)
        let message = DeletionJob(blob).message(after: .seconds(90))
        #expect(message.exchange == Exchange.delay)
        #expect(message.routingKey == "asset.jobs.wait.90s")
        let read = try DeletionJob(decoding: message.body)
        #expect(read == DeletionJob(blob))
        #expect(message.properties.headers[Header.trace] == nil)
    }

    @Test func anAlarmCarriesTheTraceOfWhatItIsSetFor() {
        let trace = TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        let blob = StoredBlob(
            id: BlobID(rawValue: 7), container: "c", checksum: BlobTableTests.checksum, size: 1, generation: UUID(),
            createdAt: 0, receiptUntil: 0)
        let message = WorkOrigin.$current.withValue(WorkOrigin(requestID: nil, trace: trace)) {
            DeletionJob(blob).message(after: .seconds(90))
        }
        #expect(trace != nil && TraceParent(message.properties.headers) == trace)
    }

    @Test(arguments: ["", "[]", "{\"blob\": \"7\"}", "{\"blob\": 7, \"container\": \"c\", \"checksum\": \"x\"}"])
    func whatIsNoAlarmIsRefused(body: String) {
        #expect(throws: ServerError.self) { try DeletionJob(decoding: Array(body.utf8)) }
    }
}
