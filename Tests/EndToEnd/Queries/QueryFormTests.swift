import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.QueryTests {
    /// Every form of predicate finds the right records, with any indexes.
    @Suite struct QueryFormTests {
        private static let forms = QueryForm.cloudKit + QueryForm.extended

        @Test func everyFormFindsItsRecordsWhereNothingIsIndexed() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.deploy(QueryForm.schemaWithoutIndexes)
            let production = client.with(Header.environment, "production")
            try await production.zones("create", "Z")
            try await production.save(QueryForm.records)
            for form in Self.forms { try await Self.check(form, production) }
            #expect(try await production.indexes(of: "production") == [])
        }

        @Test func everyFormFindsItsRecordsBeforeItsIndexesAreBuiltAndAfter() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(QueryForm.records)
            #expect(try await client.indexes(of: "development") == [])
            for form in Self.forms { try await Self.check(form, client) }
            try await client.untilIndexesAreReady()
            let methods = Set(try await client.indexes(of: "development").compactMap { $0["method"]?.string })
            #expect(methods == ["elements", "ordered", "place", "substring", "words"])
            for form in Self.forms {
                let warnings = try await Self.check(form, client)
                #expect(!warnings.contains { $0.contains("still being built") }, "\(form.format)")
            }
        }

        /// - Returns: the answer's warnings.
        @discardableResult
        private static func check(_ form: QueryForm, _ client: TestClient) async throws -> [String] {
            let reply = try await client.find(form.format, form.arguments)
            #expect(
                reply.body.recordNames == form.expected.map(String.init) && reply.status == 200,
                "\(form.format): \(reply.body["reason"] ?? .string("\(reply.body.recordNames)"))")
            #expect(reply["continuationMarker"]?.isNull != false)
            return reply.body.warnings
        }
    }
}
