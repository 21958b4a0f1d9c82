import CloudKitModel
import CloudKitWire
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CloudKit

@Suite(.timeLimit(.minutes(1))) struct CKDatabaseTests {
    private static func database(_ gateway: FakeGateway) -> CKDatabase {
        let environment = [
            "ZONDA_URL": gateway.url, "ZONDA_API_TOKEN": "t", "ZONDA_CONTAINER": "iCloud.org.example.Notes",
        ]
        return CKContainer(nil, Connections(environment: environment) {}, OperationDefaults()).publicCloudDatabase
    }

    private static let note = """
        {"recordName": "n", "recordType": "Note", "recordChangeTag": "1", "fields": {}, "deleted": false,
         "created": {"timestamp": 1, "userRecordName": "_a", "deviceID": "2"},
         "modified": {"timestamp": 1, "userRecordName": "_a", "deviceID": "2"}}
        """
    private static let missing =
        "{\"recordName\": \"n\", \"serverErrorCode\": \"NOT_FOUND\", \"ckErrorCode\": 11, \"reason\": \"Record not found\"}"

    @Test("A record is fetched by each of the functions")
    func fetch() async throws {
        let gateway = FakeGateway { _, _ in FakeGateway.json("{\"records\": [\(Self.note)]}") }
        let database = Self.database(gateway)
        let id = CKRecord.ID(recordName: "n")
        #expect(try await database.record(for: id).recordType == "Note")
        #expect(try await database.records(for: [id])[id]?.get().recordType == "Note")
        let record = await withCheckedContinuation { continuation in
            database.fetch(withRecordID: id) { record, _ in continuation.resume(returning: record) }
        }
        #expect(record?.recordType == "Note")
        #expect(gateway.requests.allSatisfy { $0.path.contains("/public/records/lookup?") })
    }

    @Test("The error of a record that is missing is its own error, and one of many does not fail the others")
    func itemErrors() async throws {
        let gateway = FakeGateway { request, _ in
            let names = (try? JSONValue(parsing: request.body))?["records"]?.array?.count ?? 0
            return FakeGateway.json("{\"records\": [\(names == 2 ? "\(Self.note), " : "")\(Self.missing)]}")
        }
        let database = Self.database(gateway)
        let (here, gone) = (CKRecord.ID(recordName: "n"), CKRecord.ID(recordName: "m"))
        let error = try await #require(throws: CKError.self) { try await database.record(for: gone) }
        #expect(error.code == .unknownItem)
        let results = try await database.records(for: [here, gone])
        #expect(try results[here]?.get().recordType == "Note")
        let itemError = try #require(throws: CKError.self) { try results[gone]?.get() }
        #expect(itemError.code == .unknownItem)
    }

    @Test("A task that is cancelled cancels its operation")
    func cancellation() async throws {
        let (arrived, signal) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        let gateway = FakeGateway { _, _ in
            signal.yield()
            release.wait()
            return FakeGateway.json("{}")
        }
        defer { release.signal() }
        let database = Self.database(gateway)
        let task = Task { try await database.record(for: CKRecord.ID(recordName: "n")) }
        for await _ in arrived.prefix(1) {}
        task.cancel()
        let error = try await #require(throws: CKError.self) { try await task.value }
        #expect(error.code == .operationCancelled)
    }

    @Test("Functions of a configured database use the configuration")
    func configured() async throws {
        let gateway = FakeGateway { _, _ in FakeGateway.json("{\"records\": [\(Self.note)]}") }
        let database = Self.database(gateway)
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForRequest = 7
        let group = CKOperationGroup()
        try await database.configuredWith(configuration: configuration, group: group) { database in
            #expect(database.defaults.configuration?.timeoutIntervalForRequest == 7)
            #expect(database.defaults.group === group)
            _ = try await database.record(for: CKRecord.ID(recordName: "n"))
        }
        #expect(database.defaults.configuration == nil)
    }
}
