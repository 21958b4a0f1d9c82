import AssetTestSupport
import ServiceMessages
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage

/// Quotas for uploads that take several requests.
@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct ResumableQuotaTests {
    @Test func uploadsThatBeginTogetherCountEachOther() async throws {
        try await HTTPStack.with(["ZONDA_ASSET_USER_QUOTA": "100"]) { http in
            let ann = AssetStack.scope(of: "ann")
            let head = HTTPStack.head(
                "POST", http.uploadPath(to: ann),
                ResumableUploadTests.headers(
                    complete: false,
                    ["Host": "h", "Content-Length": "60", "Upload-Length": "60", "Expect": "100-continue"]))
            // There is room for one of them. All stay connected until each has received its answer.
            let uploads = try (0..<8).map { _ in try HTTPConversation(port: http.port) }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for upload in uploads {
                    group.addTask {
                        await upload.send(head)
                        let first = try await upload.reply().status
                        return first == 104 ? try await upload.reply().status : first
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(statuses).isSubset(of: [100, 413]))
            #expect(statuses.count { $0 == 100 } <= 1)
        }
    }
}
