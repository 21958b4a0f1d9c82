import CloudKitModel
import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct CKOperationTests {
    private func fetch(_ server: FakeServer, _ log: EventLog, _ name: String = "a") -> CKFetchRecordsOperation {
        let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: name)])
        server.serve(operation)
        operation.perRecordResultBlock = { log.add("\($0.recordName) \($1.outcome)") }
        operation.fetchRecordsResultBlock = { log.add("\(name) end \($0.outcome)") }
        operation.completionBlock = { log.add("\(name) completion") }
        return operation
    }

    private static let found: FakeServer.Answer = { _, body in
        ["records": .array((body["records"]?.array ?? []).map { FakeServer.record($0["recordName"]?.string ?? "") })]
    }

    @Test func callbacksComeInOrder() async {
        let log = EventLog()
        await fetch(FakeServer(.private, Self.found), log).run()
        #expect(log.all == ["a ok", "a end ok", "a completion"])
    }

    @Test func dependenciesAreWaitedFor() async {
        let log = EventLog()
        let server = FakeServer(.private, Self.found)
        let first = fetch(server, log, "first")
        let second = fetch(server, log, "second")
        second.addDependency(first)
        let queue = OperationQueue()
        queue.addOperation(second)
        await first.run(on: queue)
        await withCheckedContinuation { continuation in
            queue.addBarrierBlock { continuation.resume() }
        }
        #expect(log.all.filter { $0.contains("end") } == ["first end ok", "second end ok"])
    }

    @Test func cancelledBeforeTheStart() async {
        let log = EventLog()
        let server = FakeServer(.private, Self.found)
        let operation = fetch(server, log)
        operation.cancel()
        await operation.run()
        #expect(log.all == ["a end operationCancelled", "a completion"])
        #expect(server.requests.isEmpty)
        #expect(operation.isFinished)
        #expect(operation.isCancelled)
    }

    @Test func cancelledDuringARequest() async {
        let log = EventLog()
        let (started, sent) = AsyncStream.makeStream(of: Void.self)
        let server = FakeServer(.private) { _, _ in
            sent.yield()
            try await Task.sleep(for: .seconds(600))
            return [:]
        }
        let operation = fetch(server, log)
        async let end: Void = operation.run()
        for await _ in started { break }
        operation.cancel()
        operation.cancel()
        await end
        #expect(log.all == ["a end operationCancelled", "a completion"])
    }

    @Test func cancelledBetweenTwoRequests() async {
        let log = EventLog()
        let operation = CKFetchRecordsOperation(
            recordIDs: [
                CKRecord.ID(recordName: "a"),
                CKRecord.ID(recordName: "b", zoneID: CKRecordZone.ID(zoneName: "Other")),
            ])
        let server = FakeServer(.private, Self.found)
        server.serve(operation)
        operation.perRecordResultBlock = { [unowned operation] id, result in
            log.add("\(id.recordName) \(result.outcome)")
            operation.cancel()
        }
        operation.fetchRecordsResultBlock = { log.add("end \($0.outcome)") }
        await operation.run()
        #expect(log.all == ["a ok", "end operationCancelled"])
        #expect(server.requests.count == 1)
    }

    /// A callback may wait for another operation.
    @Test func callbacksMayBlock() async {
        let log = EventLog()
        let server = FakeServer(.private, Self.found)
        let queue = OperationQueue()
        let outer = (0..<8).map { fetch(server, log, "outer\($0)") }
        for operation in outer {
            operation.perRecordResultBlock = { _, _ in
                let inner = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "inner")])
                server.serve(inner)
                let done = DispatchSemaphore(value: 0)
                inner.completionBlock = { done.signal() }
                queue.addOperation(inner)
                #expect(done.wait(timeout: .now() + 30) == .success)
            }
        }
        await withTaskGroup { group in
            for operation in outer { group.addTask { await operation.run(on: queue) } }
        }
        #expect(log.all.filter { $0.contains("end ok") }.count == 8)
    }

    @Test func anOperationThatItsOwnBlockUsesIsReleased() async {
        weak var released: CKFetchRecordsOperation?
        do {
            let operation = fetch(FakeServer(.private, Self.found), EventLog())
            operation.fetchRecordsResultBlock = { _ in _ = operation.isFinished }
            released = operation
            await operation.run()
            operation.completionBlock = nil
        }
        // The queue releases the operation soon after it has finished.
        for _ in 0..<1_000 where released != nil { await Task.yield() }
        #expect(released?.fetchRecordsResultBlock == nil)
    }

    @Test func theWholeOperationHasALimitedTime() async throws {
        let log = EventLog()
        let server = FakeServer(.private) { _, _ in
            try await Task.sleep(for: .seconds(600))
            return [:]
        }
        let operation = fetch(server, log)
        operation.configuration.timeoutIntervalForResource = 0.05
        await operation.run()
        #expect(log.all == ["a end networkFailure", "a completion"])
    }

    @Test func longLivedOperationsSayThatTheyAreKept() async {
        let log = EventLog()
        let operation = fetch(FakeServer(.private, Self.found), log)
        operation.configuration.isLongLived = true
        operation.longLivedOperationWasPersistedBlock = { log.add("kept") }
        await operation.run()
        #expect(log.all.first == "kept")
    }

    @Test func withoutAConfigurationTheOperationFails() async {
        let log = EventLog()
        let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
        operation.database =
            CKContainer("iCloud.none", Connections(environment: [:]), OperationDefaults()).privateCloudDatabase
        operation.fetchRecordsResultBlock = { log.add($0.outcome) }
        await operation.run()
        #expect(log.all == ["notAuthenticated"])
    }
}

@Suite struct OperationConfigurationTests {
    @Test func defaults() {
        let configuration = CKOperation.Configuration()
        #expect(configuration.qualityOfService == .default)
        #expect(configuration.timeoutIntervalForRequest == 60)
        #expect(configuration.timeoutIntervalForResource == 7 * 24 * 3600)
        #expect(configuration.allowsCellularAccess)
        #expect(!configuration.isLongLived)
        configuration.qualityOfService = .userInitiated
        #expect(configuration.timeoutIntervalForResource == -1)
        #expect(configuration.patience == .brief)
        configuration.qualityOfService = .utility
        #expect(configuration.patience == .network(.seconds(7 * 24 * 3600)))
    }

    /// As in Apple's framework, an unimportant operation waits for the network, but reports that the server is busy.
    @Test func unimportantOperationsWaitForTheNetwork() {
        var policy = RetryPolicy()
        policy.jitter = { 1 }
        let busy = CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: NSNumber(value: 5)])
        let lost = CKError(.networkFailure)
        func delay(_ error: CKError, isLost: Bool, elapsed: Duration = .zero) -> Duration? {
            policy.delay(after: 20, error, isLost: isLost, elapsed: elapsed, patience: .network(.seconds(3600)))
        }
        #expect(delay(lost, isLost: true) == policy.maxDelay)
        #expect(delay(lost, isLost: true, elapsed: .seconds(3600)) == nil)
        #expect(delay(busy, isLost: false) == nil)
    }

    /// An explicit value of the operation precedes one of the group, which precedes the default.
    @Test func groups() {
        let operation = CKQueryOperation()
        operation.group = CKOperationGroup()
        operation.group?.defaultConfiguration.timeoutIntervalForRequest = 5
        operation.group?.defaultConfiguration.isLongLived = true
        operation.configuration.isLongLived = false
        #expect(operation.resolvedConfiguration.timeoutIntervalForRequest == 5)
        #expect(!operation.resolvedConfiguration.isLongLived)
        operation.configuration = nil
        #expect(operation.resolvedConfiguration.isLongLived)
    }

    @Test func configurationsAreCopied() {
        let configuration = CKOperation.Configuration()
        let operation = CKQueryOperation()
        operation.configuration = configuration
        configuration.isLongLived = true
        #expect(!operation.configuration.isLongLived)
        operation.qualityOfService = .background
        #expect(operation.configuration.qualityOfService == .background)
    }

    @Test func groupsAreArchived() throws {
        let group = CKOperationGroup()
        group.name = "Initial sync"
        group.quantity = 7
        group.expectedReceiveSize = .tensOfMegabytes
        let data = try NSKeyedArchiver.archivedData(withRootObject: group, requiringSecureCoding: true)
        let decoded = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKOperationGroup.self, from: data))
        #expect(decoded.operationGroupID == group.operationGroupID)
        #expect(decoded.name == "Initial sync")
        #expect(decoded.quantity == 7)
        #expect(decoded.expectedReceiveSize == .tensOfMegabytes)
    }
}
