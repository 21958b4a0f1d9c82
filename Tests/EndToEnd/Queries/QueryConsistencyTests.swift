import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.QueryTests {
    /// A query finds every acknowledged save, no matter which instance executes the query.
    @Suite struct QueryConsistencyTests {
        @Test func aRecordIsFoundAsSoonAsItsSaveIsAnswered() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            for number in 0..<200 {
                // Some saves have a field or a type that only one instance knows yet.
                let type = number % 50 == 49 ? "Type\(number)" : "Item"
                let field = number % 20 == 19 ? "n\(number)" : "n"
                let fields = JSONValue.object([
                    .init(field, .int(Int64(number))), .init("title", .string("word\(number)")),
                ])
                try await client.save([.item("r\(number)", fields, of: type)])
                let format = number % 2 == 0 ? "\(field) == \(number)" : "self CONTAINS 'word\(number)'"
                let found = try await client.find(format, of: type)
                try #require(found.body.recordNames == ["r\(number)"], "\(format): \(found.body)")
            }
        }

        @Test func aRecordIsLostAsSoonAsItsDeletionIsAnswered() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save((0..<20).map { .item("r\($0)", ["n": 1]) })
            for number in 0..<20 {
                try await client.delete("Z", "r\(number)")
                #expect(try await client.find("n == 1").body.recordNames.count == 19 - number)
            }
        }

        @Test func queriesOfAZoneThatWasMadeAgainFindTheNewOnly() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            for round in 0..<4 {
                try await client.save([.item("r\(round)", ["n": 1])])
                for _ in 0..<4 { #expect(try await client.find("n == 1").body.recordNames == ["r\(round)"]) }
                try await client.zones("delete", "Z")
                for _ in 0..<4 { #expect(try await client.find("n == 1").body.errorCode == "ZONE_NOT_FOUND") }
                try await client.zones("create", "Z")
            }
        }
    }
}
