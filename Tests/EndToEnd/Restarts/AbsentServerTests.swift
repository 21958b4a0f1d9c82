import CloudKitWire
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// A server that is unavailable at the start, or becomes unavailable.
    @Suite(.timeLimit(.minutes(3))) struct AbsentServerTests {
        @Test func serviceThatFindsNoDatabaseTellsSoAndServesWhenItComes() async throws {
            try await ServiceStack.with { stack in
                try await stack.environment.control("stop", "postgres")
                let service: ServiceProcess
                do {
                    service = try stack.launchService()
                    try await service.waitUntilNotReady(because: "database")
                } catch {
                    try await stack.environment.control("start", "postgres")
                    throw error
                }
                try await stack.environment.control("start", "postgres")
                try await service.waitUntilReady()
                let client = stack.client()
                try await client.zones("create", "Notes")
                try await client.save("Notes", "a", ["n": 1])
            }
        }

        @Test func serviceThatLosesItsBrokerTellsSoAndServesWhenItComesBack() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                try await stack.environment.control("stop", "rabbitmq")
                do {
                    try await service.waitUntilNotReady(because: "broker")
                } catch {
                    try await stack.environment.control("start", "rabbitmq")
                    throw error
                }
                try await stack.environment.control("start", "rabbitmq")
                try await service.waitUntilReady()
                try await client.save("Notes", "a", ["n": 1])
            }
        }

        @Test func aRequestOutlastsADatabaseThatIsAway() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                try await client.save("Notes", "a", ["n": 1])
                try await stack.environment.control("stop", "postgres")
                let write = Task { try await client.modify("Notes", .operation("forceReplace", "a", ["n": 2])) }
                do {
                    try await service.waitUntilNotReady(because: "database")
                } catch {
                    try await stack.environment.control("start", "postgres")
                    throw error
                }
                try await stack.environment.control("start", "postgres")
                #expect(try await write.value["records"]?[0]?.errorCode == nil)
                #expect(try await client.record("Notes", "a").values == ["n": 2])
            }
        }
    }
}
