import AMQPClient
import CloudKitWire
import Glibc
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A header in the message makes the service crash between the commit and the acknowledgement.
    @Suite(.timeLimit(.minutes(3))) struct CrashTests {
        struct Case: Sendable, CustomTestStringConvertible {
            let kind: String
            /// The action of another client after the crash, and the record's fields at the end; nil if the record does
            /// not exist.
            let later: String
            let fieldsAtTheEnd: [String: JSONValue]?
            var testDescription: String { "\(kind), then another's \(later)" }
        }

        /// The message of the crashed request waits in its virtual host. Meanwhile, another service with the same
        /// database serves the other client from another virtual host, so that the order is certain.
        @Test(arguments: [
            Case(kind: "forceReplace", later: "forceReplace", fieldsAtTheEnd: ["n": 2]),
            Case(kind: "forceUpdate", later: "forceUpdate", fieldsAtTheEnd: ["n": 2, "first": 1]),
            Case(kind: "create", later: "forceDelete", fieldsAtTheEnd: nil),
        ])
        func laterWriteStandsAndTheFirstRequestGetsItsFirstAnswer(_ example: Case) async throws {
            try await ServiceStack.with { stack in
                let doomed = try await stack.startService(.record, ["ZONDA_FAULTS": "true"])
                let client = stack.client()
                try await client.zones("create", "Notes")
                let deadly = client.with(Header.fault, "die-after-commit")
                let first = Task {
                    try await deadly.modify("Notes", .operation(example.kind, "a", ["n": 1, "first": 1]))
                }
                #expect(try await doomed.exit(within: .seconds(20)) == .signal(SIGKILL))
                let rows = try await stack.database.query("select change_tag from record.record where name = 'a'")
                let tag = try #require(rows.first?.string(0), "it died after the commit")

                let elsewhere = try await TestBrokerVhost.make(in: stack.environment)
                let other = try await stack.startService(.record, ["ZONDA_AMQP_URL": elsewhere.url])
                try await stack.withClient(in: elsewhere, like: client) { other in
                    _ = try await other.modify("Notes", .operation(example.later, "a", ["n": 2]))
                }
                other.terminate()
                #expect(try await other.exit(within: .seconds(10)) == .code(0))
                try await elsewhere.delete()

                let heir = try await stack.startService()
                let answer = try await first.value
                #expect(answer.status == 200)
                #expect(answer["records"]?[0]?.changeTag == tag)
                #expect(answer["records"]?[0]?.values == ["n": 1, "first": 1])
                let record = try await client.record("Notes", "a")
                #expect(record.errorCode == (example.fieldsAtTheEnd == nil ? "NOT_FOUND" : nil))
                #expect(record.values == example.fieldsAtTheEnd ?? [:])
                let counter = try await stack.database.query("select change_seq from record.zone where name = 'Notes'")
                #expect(counter.first?.int64(0) == 2)
                #expect(heir.errors == [])
            }
        }

        @Test func secondInstanceTakesOverWhatTheFirstLeft() async throws {
            try await ServiceStack.with { stack in
                let doomed = try await stack.startService(.record, ["ZONDA_FAULTS": "true"])
                let client = stack.client()
                try await client.zones("create", "Notes")
                try await client.save("Notes", "a", ["n": 0])
                let deadly = client.with(Header.fault, "die-after-commit")
                let first = Task { try await deadly.modify("Notes", .operation("forceReplace", "a", ["n": 1])) }
                #expect(try await doomed.exit(within: .seconds(20)) == .signal(SIGKILL))
                let neighbours = (0..<20).map { number in
                    Task { try await client.modify("Notes", .operation("create", "r\(number)", ["n": 1])) }
                }
                let second = Task { try await client.modify("Notes", .operation("forceReplace", "b", ["n": 1])) }
                try await stack.startService()
                #expect(try await first.value["records"]?[0]?.errorCode == nil)
                #expect(try await second.value["records"]?[0]?.errorCode == nil)
                for neighbour in neighbours { #expect(try await neighbour.value["records"]?[0]?.errorCode == nil) }
                #expect(try await client.changes("Notes").recordNames.count == 22)
            }
        }
    }
}
