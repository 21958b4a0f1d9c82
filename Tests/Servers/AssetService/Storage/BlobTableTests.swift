import AssetTestSupport
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage
@testable import BlobStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct BlobTableTests {
    static let checksum = AssetChecksum(String(repeating: "ab", count: 32))!

    static func arrive(
        _ stack: AssetStack, checksum: AssetChecksum = checksum, container: String = AssetStack.container,
        receiptLife: Duration = .seconds(60)
    ) async throws -> (arrival: BlobTable.Arrival, generation: UUID) {
        let generation = UUID()
        var scope = AssetStack.scope
        scope.container = container
        let arrival = try await stack.table.arrive(
            checksum, size: 3, for: scope, generation: generation, receiptLife: receiptLife)
        return (arrival, generation)
    }

    @Test func aContentHasOneRowAndTheFirstUploadsFile() async throws {
        try await AssetStack.with { stack in
            let first = try await Self.arrive(stack)
            let second = try await Self.arrive(stack)
            let elsewhere = try await Self.arrive(stack, container: "other")
            #expect(first.arrival.generation == first.generation)
            #expect(second.arrival.id == first.arrival.id)
            #expect(second.arrival.generation == first.generation)
            #expect(!second.arrival.isRevived)
            #expect(elsewhere.arrival.id != first.arrival.id)
        }
    }

    @Test func aShorterReceiptDoesNotShortenALongerOne() async throws {
        try await AssetStack.with { stack in
            let long = try await Self.arrive(stack, receiptLife: .seconds(1000))
            let short = try await Self.arrive(stack, receiptLife: .seconds(10))
            let row = try #require(try await stack.table.find(Self.checksum, in: AssetStack.container))
            #expect(row.receiptUntil == long.arrival.receiptExpiresAt)
            #expect(short.arrival.receiptExpiresAt < long.arrival.receiptExpiresAt)
        }
    }

    @Test func onlyContentWithoutAReceiptIsCondemned() async throws {
        try await AssetStack.with { stack in
            let id = try await Self.arrive(stack).arrival.id
            let early = try await stack.table.condemn([id], grace: .seconds(60))
            #expect(early == [])
            var candidates = try await stack.table.candidates(among: [Self.checksum], in: AssetStack.container)
            #expect(candidates == [])
            try await stack.expireReceipts()
            candidates = try await stack.table.candidates(among: [Self.checksum], in: AssetStack.container)
            #expect(candidates == [id])
            let elsewhere = try await stack.table.candidates(among: [Self.checksum], in: "other")
            #expect(elsewhere == [])
            let condemned = try await stack.table.condemn([id], grace: .seconds(60))
            let condemnation = try #require(condemned.first?.condemnation)
            #expect(condemnation.due - condemnation.at == 60_000)
            let again = try await stack.table.condemn([id], grace: .seconds(60))
            #expect(again == [])
            let jobs = try await stack.table.jobs(in: nil, limit: 10)
            #expect(jobs.blobs == condemned && jobs.total == 1)
            let others = try await stack.table.jobs(in: "other", limit: 10)
            #expect(others.total == 0)
        }
    }

    @Test func anUploadBringsCondemnedContentBack() async throws {
        try await AssetStack.with { stack in
            let id = try await Self.arrive(stack).arrival.id
            try await stack.expireReceipts()
            _ = try await stack.table.condemn([id], grace: .zero)
            let again = try await Self.arrive(stack)
            #expect(again.arrival.id == id && again.arrival.isRevived)
            let row = try await stack.table.find(Self.checksum, in: AssetStack.container)
            #expect(row?.condemnation == nil)
            let deletion = try await stack.table.delete(id)
            #expect(deletion == .passedOver)
        }
    }

    @Test func whatIsDueAndUnusedIsDeletedOnce() async throws {
        try await AssetStack.with { stack in
            let (arrival, generation) = try await Self.arrive(stack)
            try await stack.expireReceipts()
            _ = try await stack.table.condemn([arrival.id], grace: .seconds(60))
            let early = try await stack.table.delete(arrival.id)
            #expect(early == .passedOver)
            _ = try await stack.database.query("update asset.blob set due = now() - interval '20 seconds'")
            let overdue = try await stack.table.overdue(by: .seconds(10), limit: 10)
            #expect(overdue == [arrival.id])
            let deletion = try await stack.table.delete(arrival.id)
            let key = BlobKey(container: AssetStack.container, checksum: Self.checksum, generation: generation)
            guard case .deleted(let deleted) = deletion else {
                Issue.record("\(deletion)")
                return
            }
            #expect(deleted.key == key)
            let again = try await stack.table.delete(arrival.id)
            #expect(again == .passedOver)
        }
    }

    @Test func whatIsUsedLivesAgainInsteadOfBeingDeleted() async throws {
        try await AssetStack.with { stack in
            let id = try await Self.arrive(stack).arrival.id
            try await stack.expireReceipts()
            _ = try await stack.table.condemn([id], grace: .zero)
            // A record was saved after the check for records.
            try await stack.use(id)
            let deletion = try await stack.table.delete(id)
            #expect(deletion == .revived)
            let row = try await stack.table.find(Self.checksum, in: AssetStack.container)
            #expect(row?.condemnation == nil)
        }
    }

    @Test func aLostFileIsReplacedByOneUploadOnly() async throws {
        try await AssetStack.with { stack in
            let (arrival, lost) = try await Self.arrive(stack)
            let generations = [UUID(), UUID()]
            let first = try await stack.table.heal(arrival.id, lost: lost, generation: generations[0])
            let second = try await stack.table.heal(arrival.id, lost: lost, generation: generations[1])
            #expect(first && !second)
            let known = try await stack.table.known([lost] + generations)
            #expect(known == [generations[0]])
        }
    }

    @Test func candidatesArePagedById() async throws {
        try await AssetStack.with { stack in
            var ids: [BlobID] = []
            for digit in ["a", "b", "c"] {
                let checksum = try #require(AssetChecksum(String(repeating: digit, count: 64)))
                ids.append(try await Self.arrive(stack, checksum: checksum).arrival.id)
            }
            ids.sort { $0.rawValue < $1.rawValue }
            try await stack.expireReceipts()
            let first = try await stack.table.candidates(after: BlobID(rawValue: 0), limit: 2)
            #expect(first.map(\.id) == Array(ids[..<2]))
            #expect(first.map(\.container) == [AssetStack.container, AssetStack.container])
            let second = try await stack.table.candidates(after: ids[1], limit: 2)
            #expect(second.map(\.id) == [ids[2]])
        }
    }
}
