import AssetTestSupport
import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct QuotaTests {
    static let (ann, bob) = (AssetStack.scope(of: "ann"), AssetStack.scope(of: "bob"))

    /// Returns the number of bytes that count for a database.
    static func bytes(_ stack: AssetStack, _ scope: AssetScope) async throws -> Int64 {
        let (databases, _) = try await stack.table.databases(of: scope.container, owner: scope.owner, limit: 10)
        return databases.filter { $0.scope == scope.scope && $0.environment == scope.environment }
            .reduce(0) { $0 + $1.bytes }
    }

    /// Expects that the stored sums are equal to those of the rows.
    static func expectExactSums(_ stack: AssetStack) async throws {
        let row = try await stack.database.query(
            """
            select (select coalesce(sum(bytes), 0)::int8 from asset.container_usage),
                (select coalesce(sum(size), 0)::int8 from asset.blob where state = 'live'),
                (select coalesce(sum(blobs), 0)::int8 from asset.container_usage),
                (select count(*) from asset.blob where state = 'live'),
                (select coalesce(sum(bytes), 0)::int8 from asset.database_usage),
                (select coalesce(sum(size), 0)::int8 from asset.holder),
                (select coalesce(sum(blobs), 0)::int8 from asset.database_usage), (select count(*) from asset.holder)
            """)[0]
        for column in [0, 2, 4, 6] { #expect(row.int64(column) == row.int64(column + 1)) }
    }

    @Test func eachUserHasAQuotaAndThePublicDatabaseNone() async throws {
        try await AssetStack.with(["ZONDA_ASSET_USER_QUOTA": "10"]) { stack in
            _ = try await stack.upload("12345678", to: Self.ann)
            let error = await #expect(throws: ServerError.self) { _ = try await stack.upload("abc", to: Self.ann) }
            #expect(error?.code == .quotaExceeded && error?.reasonCode == "asset_quota_exceeded")
            #expect(error?.field == "file" && error?.limit == 10 && error?.actual == 11)
            #expect(stack.files("blobs").count == 1 && stack.files("incoming") == [])
            // Other users are not affected. A content that two users have counts for both.
            _ = try await stack.upload("12345678", to: Self.bob)
            _ = try await stack.upload("123456789012345")
            #expect(try await Self.bytes(stack, Self.ann) == 8)
            #expect(try await Self.bytes(stack, Self.bob) == 8)
            _ = try await stack.upload("ab", to: Self.ann)
            try await Self.expectExactSums(stack)
        }
    }

    @Test func aContainersContentsCountOnce() async throws {
        try await AssetStack.with(["ZONDA_ASSET_CONTAINER_QUOTA": "10"]) { stack in
            let asset = try await stack.upload("12345678", to: Self.ann)
            let error = await #expect(throws: ServerError.self) { _ = try await stack.upload("abc") }
            #expect(error?.code == .quotaExceeded)
            // Another container has its own quota. Condemned blobs do not count.
            _ = try await stack.upload("abc", container: "other")
            try await stack.expireReceipts()
            let id = try #require(try await stack.row(asset)).id
            _ = try await stack.table.condemn([id], grace: .seconds(60))
            _ = try await stack.upload("abc")
            let again = await #expect(throws: ServerError.self) {
                _ = try await stack.upload("12345678", to: Self.bob)
            }
            #expect(again?.code == .quotaExceeded)
            let row = try #require(try await stack.row(asset))
            #expect(row.condemnation != nil)
            try await Self.expectExactSums(stack)
        }
    }

    /// No more uploads than fit are accepted, no matter how many arrive concurrently.
    @Test(arguments: ["ZONDA_ASSET_USER_QUOTA", "ZONDA_ASSET_CONTAINER_QUOTA"])
    func uploadsAtTheEdgeShareWhatIsLeft(setting: String) async throws {
        try await AssetStack.with([setting: "35"]) { stack in
            let taken = await withTaskGroup(of: Bool.self) { group in
                for number in 10..<30 {
                    group.addTask { (try? await stack.upload("content \(number)", to: Self.ann)) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 3)
            // An upload whose row had to be retried may have left a file for the reconciliation.
            #expect(stack.files("blobs").count >= 3 && stack.files("incoming") == [])
            #expect(try await Self.bytes(stack, Self.ann) == 30)
            try await Self.expectExactSums(stack)
        }
    }

    @Test func uploadsWithoutQuotaAreCountedExactlyWhateverHappensAtOnce() async throws {
        try await AssetStack.with { stack in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        let scope = [AssetStack.scope, Self.ann, Self.bob][number % 3]
                        let asset = try await stack.upload("content \(number % 7)", to: scope)
                        if number % 5 == 0, let row = try await stack.row(asset) {
                            _ = try await stack.database.query(
                                "update asset.blob set receipt_until = now() - interval '1 s' where id = $1",
                                [.int8(row.id.rawValue)])
                            _ = try await stack.table.condemn([row.id], grace: .zero)
                            _ = try await stack.table.delete(row.id)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await Self.expectExactSums(stack)
        }
    }

    @Test func aContainersOwnQuotaComesBeforeTheSettings() async throws {
        try await AssetStack.with(["ZONDA_ASSET_USER_QUOTA": "1000"]) { stack in
            func set(_ body: JSONValue) async throws -> JSONValue {
                try await AssetOperationTests.ask(stack, .assetsQuota, body).json
            }
            let container = JSONValue.string(AssetStack.container)
            let own = try await set(["container": container, "userQuota": 3, "containerQuota": 5])
            #expect(own["userQuota"] == 3 && own["containerQuota"] == 5)
            await #expect(throws: ServerError.self) { _ = try await stack.upload("1234", to: Self.ann) }
            let none = try await set(["container": container, "userQuota": "none"])
            #expect(none["userQuota"] == nil && none["containerQuota"] == 5)
            _ = try await stack.upload("1234", to: Self.ann)
            await #expect(throws: ServerError.self) { _ = try await stack.upload("56", to: Self.ann) }
            let usual = try await set(["container": container, "userQuota": "default", "containerQuota": "default"])
            #expect(usual["userQuota"] == 1000 && usual["containerQuota"] == nil)
            for bad: JSONValue in ["much", -1, 1.5] {
                #expect(try await set(["container": container, "userQuota": bad])["field"] == "userQuota")
            }
        }
    }

    @Test func anAnnouncedSizeIsRefusedBeforeThereIsAnAddress() async throws {
        try await AssetStack.with(["ZONDA_ASSET_USER_QUOTA": "10"]) { stack in
            func ask(_ sizes: Int64...) async throws -> JSONValue {
                let tokens = sizes.map { ["fieldName": "photo", "size": .int($0)] as JSONValue }
                return try await AssetOperationTests.ask(stack, .assetsUpload, ["tokens": .array(tokens)]).json
            }
            #expect(try await ask(10)["tokens"]?.array?.count == 1)
            for refused in [try await ask(11), try await ask(6, 6), try await ask(.max, .max)] {
                #expect(refused["serverErrorCode"] == "QUOTA_EXCEEDED")
                #expect(refused["field"] == "photo" && refused["limit"] == 10)
            }
        }
    }

    /// Over HTTP, the length alone is enough to refuse a body.
    @Test func aBodyPastTheQuotaIsRefusedByItsLengthOrWhileItComes() async throws {
        try await HTTPStack.with(["ZONDA_ASSET_CONTAINER_QUOTA": "10"]) { http in
            let conversation = try HTTPConversation(port: http.port)
            let head = ["Host": "localhost", "Content-Length": "11", "Expect": "100-continue"]
            await conversation.send(HTTPStack.head("POST", http.uploadPath(), head))
            let reported = try await conversation.reply()
            #expect(reported.status == 413 && reported.json["reasonCode"] == "asset_quota_exceeded")
            let chunked = try HTTPConversation(port: http.port)
            await chunked.send(
                HTTPStack.head(
                    "POST", http.uploadPath(), ["Host": "localhost", "Transfer-Encoding": "chunked"]))
            await chunked.send("b\r\nhello there\r\n")
            let met = try await chunked.reply()
            #expect(met.status == 413 && met.json["field"] == "photo")
            try await http.waitUntilNothingIsIncoming()
            let fits = try await http.ask("POST", http.uploadPath(), body: Array("0123456789".utf8))
            #expect(fits.status == 200)
        }
    }
    @Test func anUploadThatCanBeResumedIsRefusedByItsLengthAndByEachPart() async throws {
        typealias Uploads = ResumableUploadTests
        try await HTTPStack.with(["ZONDA_ASSET_CONTAINER_QUOTA": "10"]) { http in
            let whole = try await http.ask(
                "POST", http.uploadPath(), Uploads.headers(complete: true, ["Content-Length": "11"]))
            let reported = try await http.ask(
                "POST", http.uploadPath(), Uploads.headers(complete: false, ["Upload-Length": "11"]), body: [1])
            for reply in [whole, reported] { #expect(reply.status == 413 && reply.json["limit"] == 10) }
            #expect(http.stack.files("partial") == [])
            let path = try await Uploads.begin(http, "0123456789")
            let part = try await http.ask("PATCH", path, Uploads.headers(complete: false, offset: 10), body: [1])
            #expect(part.status == 413 && part.json["reasonCode"] == "asset_quota_exceeded")
            #expect(part.json["actual"] == 11)
        }
    }

    @Test func whatWaitsToBeResumedCounts() async throws {
        typealias Uploads = ResumableUploadTests
        try await HTTPStack.with(["ZONDA_ASSET_CONTAINER_QUOTA": "10"]) { http in
            let path = try await Uploads.begin(http, "0123456")
            let other = try await http.ask("POST", http.uploadPath(), body: Array("abcd".utf8))
            #expect(other.status == 413 && other.json["actual"] == 11)
            // The announced bytes count, not only those that have arrived.
            let reported = try await http.ask(
                "POST", http.uploadPath(), Uploads.headers(complete: false, ["Upload-Length": "4"]), body: [1])
            #expect(reported.status == 413)
            let fits = try await http.ask("POST", http.uploadPath(), body: Array("abc".utf8))
            #expect(fits.status == 200)
            let whole = try await http.ask(
                "PATCH", path, Uploads.headers(complete: true, offset: 7), body: Array("".utf8))
            #expect(whole.status == 200)
        }
    }
}
