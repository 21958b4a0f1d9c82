import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// `zonda watch` with a durable queue.
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct DurableWatchTests {
        @Test func aNamedConsumerMissesNothingWhileItIsAway() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            let name = TestEnvironment.uniqueName("named")
            try await client.zones("create", "Notes", "Drafts")
            let watch = ["watch", "--name", name, "--timeout", "30s", "--json"]
            let unknown = try stack.zonda(watch, as: client)
            #expect(try await unknown.exit(within: .seconds(30)) == .code(1))
            let first = try stack.zonda(watch + ["Notes", "--count", "1"], as: client)
            try await first.hasSaid("watching")
            try await client.save("Notes", "a", ["n": 1])
            #expect(try await first.exit(within: .seconds(30)) == .code(0))
            #expect(try first.recordNames == ["a"])
            for record in ["b", "c", "d"] { try await client.save("Notes", record, ["n": 2]) }
            // Notifications that were not printed stay in the queue, and so do the bindings of the earlier command.
            let second = try await stack.output(of: watch + ["Drafts", "--count", "2"], as: client)
            #expect(try second.recordNames == ["b", "c"])
            try await client.save("Drafts", "e", ["n": 3])
            let third = try await stack.output(of: watch + ["--count", "2"], as: client)
            #expect(try third.recordNames == ["d", "e"])
            try await client.save("Notes", "f", ["n": 3])
            try await eventually("the notification waits") {
                try await stack.messages(in: "consumer.\(name).watch") == 1 ? true : nil
            }
            let forgotten = try await stack.output(of: ["watch", "--name", name, "--forget", "--json"], as: client)
            #expect(try JSONValue(parsing: forgotten)["forgotten"] == 1)
            #expect(try await stack.messages(in: "consumer.\(name).watch") == nil)
        }

        @Test func theLogIsReadFromThatTimeAndContinuesWithoutAGap() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes", "Drafts")
            for record in ["a", "b", "c"] {
                try await client.save("Notes", record, ["n": 1])
                try await client.save("Drafts", record, ["n": 1])
            }
            let watch = try stack.zonda(
                ["watch", "Notes", "--since", "10m", "--count", "5", "--timeout", "30s", "--json"], as: client)
            try await watch.hasSaid("watching")
            for record in ["d", "e"] { try await client.save("Notes", record, ["n": 2]) }
            #expect(try await watch.exit(within: .seconds(30)) == .code(0))
            #expect(try watch.recordNames == ["a", "b", "c", "d", "e"])
            let all = try await stack.output(
                of: ["watch", "Notes", "--since", "first", "--count", "5", "--timeout", "30s", "--json"], as: client)
            #expect(try all.recordNames == ["a", "b", "c", "d", "e"])
            let future = try stack.zonda(
                ["watch", "Notes", "--since", "2999-01-01T00:00:00Z", "--count", "1", "--timeout", "1s"], as: client)
            #expect(try await future.exit(within: .seconds(30)) == .code(1))
        }

        @Test func theBrokerHoldsConsumersQueuesAndTheLogToLimits() async throws {
            let stack = try SharedStack.current
            let text = try await stack.environment.control([
                "rabbitmqctl", "--silent", "--formatter", "json", "--vhost", stack.vhost.name, "list_policies",
            ])
            let policies = try #require(try JSONValue(parsing: text).array)
            #expect(Set(policies.compactMap { $0["name"]?.string }) == Set(BrokerPolicy.all().map(\.name)))
            let log = try #require(policies.first { $0["name"] == "zonda-notifications-log" })
            let definition = try JSONValue(parsing: log["definition"]?.string ?? "")
            #expect(definition["max-age"] == "24h")
        }
    }
}
