import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// The database is replaced by a dump of itself in a new cluster, in which transactions are numbered from the
    /// beginning, while the services are running.
    @Suite(.timeLimit(.minutes(4))) struct RestoredDumpTests {
        private static func dump(_ action: String) async throws {
            let process = try ChildProcess.ofRepository("Tests/EndToEnd/Restarts/dump", [action], [:])
            let exit = try await process.exit(within: .seconds(120))
            guard exit == .code(0) else { throw TestFailure("dump \(action): \(exit) \(process.errorText)") }
        }

        @Test func subscriptionsFireAndTokensExpire() async throws {
            try await ServiceStack.with { stack in
                let services = [try await stack.startService(), try await stack.startService(.subscription)]
                let client = stack.client()
                try await client.zones("create", "Notes")
                // The transaction ids that are used up here are before the subscription's moment.
                try await Self.dump("take")
                try await client.subscribe("Notes", "inbox")
                try await client.save("Notes", "a", ["n": 1])
                try await Self.dump("take")
                try await client.save("Notes", "lost", ["n": 1])
                let token = try #require(try await client.changes("Notes").syncToken)
                try await Self.dump("restore")
                for service in services { try await service.waitUntilReady() }
                try await within(.seconds(60), "the restore is noticed") {
                    while try await client.changes("Notes", since: token)["reasonCode"] != "change_token_expired" {}
                }
                #expect(try await client.changes("Notes").recordNames == ["a"])
                try await stack.withNotifications(ofSubscription: "inbox", of: client) { box in
                    try await client.save("Notes", "first", ["n": 1])
                    try await client.save("Notes", "last", ["n": 1])
                    _ = try await box.first("the first one's") { $0.names("first") }
                    _ = try await box.first("the last one's") { $0.names("last") }
                }
            }
        }
    }
}

extension AMQPDelivery {
    /// Returns whether the notification is about a record with this name.
    func names(_ record: String) -> Bool {
        let records = (try? JSONValue(parsing: body))?["records"]?.array ?? []
        return records.contains { $0["recordName"]?.string == record }
    }
}
