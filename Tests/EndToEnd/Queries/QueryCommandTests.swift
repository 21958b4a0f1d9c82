import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.QueryTests {
    /// `zonda record query`, `count` and `explain`, as users type them.
    @Suite struct QueryCommandTests {
        private let stack: ServiceStack
        private let client: TestClient
        private let place = ["--zone", "Z", "--type", "Note"]

        init() async throws {
            stack = try SharedStack.current
            client = try await stack.client().inNewContainer()
            let titles = ["Buy milk", "MILK again", "Bread", "milk once"]
            try await client.save(
                titles.enumerated().map { index, title in
                    .item("n\(index)", ["title": .string(title), "count": .int(Int64(index))], of: "Note")
                })
        }

        @Test func recordsAreFoundInTheOrderAskedFor() async throws {
            let predicate = "title CONTAINS[c] 'milk' AND count > 0"
            let lines = try await stack.output(
                of: ["record", "query"] + place + [predicate, "--sort", "count:desc", "--json"], as: client
            ).split(separator: "\n")
            #expect(try lines.map { try JSONValue(parsing: String($0))["recordName"]?.string } == ["n3", "n1"])
        }

        @Test func recordsAreCountedAndGrouped() async throws {
            let count = try await stack.output(of: ["record", "count"] + place + ["count >= 1"], as: client)
            #expect(count == "3\n")
            let sums = try await stack.output(
                of: ["record", "count"] + place + ["--sum", "count", "--json"], as: client)
            let aggregates = try JSONValue(parsing: sums)["aggregates"]?.array ?? []
            #expect(aggregates.compactMap { $0["value"]?["value"]?.int } == [4, 6], "\(sums)")
        }

        @Test func aQueryIsExplained() async throws {
            let words = try await stack.output(of: ["record", "explain"] + place + ["count == 2"], as: client)
            #expect(words.contains("Records of type 'Note' in one zone were read with"), "\(words)")
            #expect(words.contains("rows returned"), "\(words)")
        }

        @Test func errorsAreReportedBeforeARequestIsSent() async throws {
            let process = try stack.zonda(["record", "query"] + place + ["count >"], as: client)
            #expect(try await process.exit(within: .seconds(30)) != .code(0))
            #expect(process.errorText.contains("column 8"), "\(process.errorText)")
            let tree = try await stack.output(of: ["query", "check", "--json", "count > %d", "5"], as: client)
            #expect(try JSONValue(parsing: tree)["comparator"]?.string == "GREATER_THAN", "\(tree)")
        }
    }
}
