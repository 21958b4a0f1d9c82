import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Two instances, each of which caches containers, zones and types.
    @Suite(.timeLimit(.minutes(2))) struct TwoServicesTests {
        @Test func fieldsThatOneInstanceAddedAreSeenByTheOther() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService()
                try await stack.startService()
                let client = stack.client()
                _ = try await client.zones("create", "Notes")
                // With each save, one of the instances learns a new field. Look-ups and the feed may be answered by
                // either.
                for number in 0..<20 {
                    let field = "f\(number)"
                    try await client.save("Notes", "a", .object([JSONValue.Member(field, .int(1))]))
                    for _ in 0..<4 {
                        let record = try await client.record("Notes", "a")
                        #expect(record["fields"]?[field]?["value"] == 1)
                    }
                }
            }
        }

        @Test func aContainerDeletedAtOneInstanceIsGoneAtTheOther() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService()
                try await stack.startService()
                let client = stack.client()
                for _ in 0..<3 {
                    _ = try await client.zones("create", "Notes")
                    for number in 0..<10 { try await client.save("Notes", "r\(number)", ["n": 1]) }
                    let body: JSONValue = ["container": .string(stack.container)]
                    #expect(try await client.ask(.containersDelete, body).status == 200)
                    for _ in 0..<6 {
                        #expect(try await client.ask(.zonesList, [:])["zones"]?.array?.count == 1)
                    }
                }
            }
        }
    }
}
