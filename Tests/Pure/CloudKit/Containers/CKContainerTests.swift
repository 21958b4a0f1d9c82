import CloudKitModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CloudKit

@Suite(.timeLimit(.minutes(1))) struct CKContainerTests {
    private static func container(
        at url: String?, token: String? = "w", identifier: String? = nil
    ) -> CKContainer {
        var environment = ["ZONDA_API_TOKEN": "t", "ZONDA_CONTAINER": "iCloud.org.example.Notes"]
        environment["ZONDA_URL"] = url
        environment["ZONDA_WEB_AUTH_TOKEN"] = token
        return CKContainer(identifier, Connections(environment: environment) {}, OperationDefaults())
    }

    private static let signInNeeded = FakeGateway.json(
        "{\"serverErrorCode\": \"AUTHENTICATION_REQUIRED\", \"ckErrorCode\": 9, \"reason\": \"r\"}", status: 421)

    @Test("The default container has the configured identifier")
    func identifiers() {
        #expect(Self.container(at: nil).containerIdentifier == "iCloud.org.example.Notes")
        #expect(Self.container(at: nil, identifier: "iCloud.b").containerIdentifier == "iCloud.b")
        #expect(CKContainer(identifier: "iCloud.b") == CKContainer(identifier: "iCloud.b"))
        #expect(CKContainer(identifier: "iCloud.b") != CKContainer(identifier: "iCloud.c"))
        #expect(CKContainer.default() === CKContainer.default())
        let container = CKContainer(identifier: "iCloud.b")
        #expect(container.privateCloudDatabase.databaseScope == .private)
        #expect(container.database(with: .shared) == container.sharedCloudDatabase)
        #expect(container.publicCloudDatabase != container.privateCloudDatabase)
        #expect(CKDatabase.Scope.public.rawValue == 1)
        #expect(CKDatabase.Scope.shared.rawValue == 3)
    }

    @Test("Without a configuration, no account is signed in, and every call says what to set")
    func unconfigured() async throws {
        let container = Self.container(at: nil)
        #expect(try await container.accountStatus() == .noAccount)
        let error = try await #require(throws: CKError.self) { try await container.userRecordID() }
        #expect(error.code == .notAuthenticated)
        #expect(error.localizedDescription.contains("ZONDA_URL"))
        let record = try await #require(throws: CKError.self) {
            try await container.publicCloudDatabase.record(for: CKRecord.ID(recordName: "n"))
        }
        #expect(record.code == .notAuthenticated)
    }

    @Test("The status of the account is what the server says, and the session's while it says nothing")
    func status() async throws {
        let known = FakeGateway { _, _ in FakeGateway.json("{\"userRecordName\": \"_a\"}") }
        #expect(try await Self.container(at: known.url).accountStatus() == .available)
        #expect(try await Self.container(at: known.url).userRecordID().recordName == "_a")
        let ended = FakeGateway { _, _ in Self.signInNeeded }
        #expect(try await Self.container(at: ended.url).accountStatus() == .noAccount)
        #expect(try await Self.container(at: ended.url, token: nil).accountStatus() == .noAccount)
        #expect(try await Self.container(at: "http://127.0.0.1:1").accountStatus() == .available)
    }

    @Test("Completion handlers get the same results")
    func completionHandlers() async throws {
        let known = FakeGateway { _, _ in FakeGateway.json("{\"userRecordName\": \"_a\"}") }
        let container = Self.container(at: known.url)
        let status = await withCheckedContinuation { continuation in
            container.accountStatus { continuation.resume(returning: ($0, $1 as? CKError)) }
        }
        #expect(status.0 == .available)
        #expect(status.1 == nil)
        let failure = await withCheckedContinuation { continuation in
            Self.container(at: nil).fetchUserRecordID { continuation.resume(returning: ($0, $1 as? CKError)) }
        }
        #expect(failure.0 == nil)
        #expect(failure.1?.code == .notAuthenticated)
    }

    @Test("The error of an operation on one item is the item's error")
    func itemError() throws {
        let item = CKError(.serverRecordChanged)
        let partial = CKError(
            .partialFailure, userInfo: [CKPartialErrorsByItemIDKey: ["a": item] as [AnyHashable: any Error]])
        #expect(OperationRun.error(of: "a", partial) as? CKError == item)
        #expect(OperationRun.error(of: "b", partial) as? CKError == partial)
        #expect(OperationRun.error(of: "a", item) as? CKError == item)
    }
}
