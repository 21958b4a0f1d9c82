import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// A replica that lacks acknowledged commits is promoted while the services are running.
    @Suite(.timeLimit(.minutes(3))) struct PromotedReplicaTests {
        private static func replica(_ action: String) async throws {
            let process = try ChildProcess.ofRepository("Tests/EndToEnd/Restarts/replica", [action], [:])
            let exit = try await process.exit(within: .seconds(120))
            guard exit == .code(0) else { throw TestFailure("replica \(action): \(exit) \(process.errorText)") }
        }

        @Test func tokensThatKnowOfLostChangesExpireBeforeTheyAreGoodAgain() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                try await client.save("Notes", "a", ["n": 1])
                try await Self.replica("take")
                for name in ["b", "c", "d"] { try await client.save("Notes", name, ["n": 1]) }
                let token = try #require(try await client.changes("Notes").syncToken)
                let database = try #require(try await client.databaseChanges()["syncToken"]?.string)
                try await Self.replica("promote")
                try await service.waitUntilReady()

                // Another client's changes get the numbers of the lost ones, and exceed the number in the token.
                for name in ["w", "x", "y", "z"] { try await client.save("Notes", name, ["n": 1]) }
                try await within(.seconds(30), "the promotion is noticed") {
                    while try await client.changes("Notes", since: token)["reasonCode"] != "change_token_expired" {}
                }
                try await client.save("Notes", "last", ["n": 1])
                #expect(try await client.changes("Notes", since: token)["reasonCode"] == "change_token_expired")
                #expect(try await client.databaseChanges(since: database)["reasonCode"] == "change_token_expired")
                let whole = try await client.changes("Notes")
                #expect(Set(whole.recordNames) == ["a", "w", "x", "y", "z", "last"])
                #expect(try await client.changes("Notes", since: whole.syncToken).recordNames == [])
            }
        }

        /// New changes get the numbers of changes that were notified and that the promoted replica lacks.
        @Test func changesUnderNumbersOfLostOnesAreNotified() async throws {
            try await ServiceStack.with { stack in
                let services = [try await stack.startService(), try await stack.startService(.subscription)]
                let client = stack.client()
                try await client.zones("create", "Notes")
                try await stack.withNotifications(ofZone: "Notes", of: client) { box in
                    try await client.save("Notes", "a", ["n": 1])
                    _ = try await box.first("the first one's") { $0.names("a") }
                    try await Self.replica("take")
                    for name in ["b", "c", "d"] { try await client.save("Notes", name, ["n": 1]) }
                    _ = try await box.first("the lost ones'") { $0.names("d") }
                    try await Self.replica("promote")
                    for service in services { try await service.waitUntilReady() }
                    for name in ["w", "x", "y", "z", "last"] {
                        try await client.save("Notes", name, ["n": 1])
                        _ = try await box.first("\(name)'s") { $0.names(name) }
                    }
                }
            }
        }
    }
}
