import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The service reports the faults of requests with all details, and continues.
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct BadRequestTests {
        /// The documented error for a fault.
        struct Expected: Sendable {
            var status = 400
            var code = "BAD_REQUEST"
            var ckErrorCode: Int64 = 12
            var reasonCode: String
            var field: String?
            var limit: Int64?
            var actual: Int64?

            func matches(_ error: JSONValue) {
                #expect(error.errorCode == code)
                #expect(error["ckErrorCode"]?.int == ckErrorCode)
                #expect(error.reasonCode == reasonCode)
                #expect(error["field"]?.string == field)
                #expect(error["limit"]?.int == limit)
                #expect(error["actual"]?.int == actual)
                #expect(error["reason"]?.string?.isEmpty == false)
            }
        }

        /// A request with one fault, derived from a valid request.
        struct Fault: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let expected: Expected
            var operation = ServiceMessages.Operation.recordsModify
            var body: [UInt8] = JSONValue.modify("Notes", [.operation("create", "a", ["n": 1])]).encoded()
            let spoil: @Sendable (inout AMQPMessage) -> Void

            init(
                _ description: String, _ expected: Expected, operation: ServiceMessages.Operation = .recordsModify,
                body: JSONValue? = nil, spoil: @escaping @Sendable (inout AMQPMessage) -> Void = { _ in }
            ) {
                testDescription = description
                self.expected = expected
                self.operation = operation
                self.spoil = spoil
                if let body { self.body = body.encoded() }
            }
        }

        static let wholeRequests: [Fault] = [
            Fault("a body that is not JSON", Expected(reasonCode: "invalid_json", actual: 10)) {
                $0.body = Array("{\"zoneID\":".utf8)
            },
            Fault("a body of another kind", Expected(reasonCode: "invalid_json", actual: 0)) {
                $0.body = Array("[1,2]".utf8)
            },
            Fault("no operations", Expected(reasonCode: "missing_key", field: "operations"), body: [:]),
            Fault(
                "too many operations",
                Expected(
                    ckErrorCode: 27, reasonCode: "limit_exceeded", field: "operations", limit: 2000, actual: 2001),
                body: .modify("Notes", Array(repeating: .operation("forceDelete", "a"), count: 2001))),
            Fault(
                "a record named twice", Expected(reasonCode: "record_repeated", field: "recordName"),
                body: .modify("Notes", [.operation("create", "a"), .operation("create", "a")])),
            Fault(
                "an unknown operation",
                Expected(status: 404, code: "NOT_FOUND", reasonCode: "operation_unknown", field: "routing-key")
            ) { $0.routingKey = "records.explode" },
            Fault(
                "an operation on another exchange",
                Expected(status: 404, code: "NOT_FOUND", reasonCode: "operation_unknown", field: "routing-key")
            ) { $0.exchange = Exchange.admin },
            Fault("no message id", Expected(reasonCode: "message_id_required", field: "message-id")) {
                $0.properties.messageID = nil
            },
            missing(Header.container), missing(Header.environment), missing(Header.database),
            invalid(Header.environment, "staging", "environment_invalid"),
            invalid(Header.database, "secret", "database_invalid"),
            invalid(Header.container, "with space", "container_invalid"),
            Fault("another version", Expected(reasonCode: "version_not_supported", field: Header.version)) {
                $0.properties.headers[Header.version] = 2
            },
            Fault(
                "nobody signed in",
                Expected(
                    status: 421, code: "AUTHENTICATION_REQUIRED", ckErrorCode: 9,
                    reasonCode: "authentication_required", field: Header.user)
            ) { $0.properties.headers[Header.user] = nil },
            Fault(
                "another user's zone",
                Expected(
                    status: 403, code: "ACCESS_DENIED", ckErrorCode: 10, reasonCode: "zone_of_another_user",
                    field: "ownerRecordName"),
                body: [
                    "zoneID": ["zoneName": "Notes", "ownerRecordName": "_00000000000000000000000000000000"],
                    "operations": [.operation("create", "a", ["n": 1])],
                ]),
            Fault(
                "a zone that is not there",
                Expected(status: 404, code: "ZONE_NOT_FOUND", ckErrorCode: 26, reasonCode: "zone_not_found"),
                body: .modify("Missing", [.operation("create", "a", ["n": 1])])),
            Fault(
                "a lookup of a zone that is not there",
                Expected(status: 404, code: "ZONE_NOT_FOUND", ckErrorCode: 26, reasonCode: "zone_not_found"),
                operation: .recordsLookup, body: ["zoneID": .zone("Missing"), "records": [["recordName": "a"]]]),
            Fault(
                "the shared database",
                Expected(
                    status: 403, code: "ACCESS_DENIED", ckErrorCode: 24, reasonCode: "shared_database_not_served",
                    field: Header.database),
                operation: .recordsResolve, body: ["shortGUIDs": []]
            ) { $0.properties.headers[Header.database] = "shared" },
        ]

        private static func missing(_ header: String) -> Fault {
            Fault("no \(header)", Expected(reasonCode: "header_missing", field: header)) {
                $0.properties.headers[header] = nil
            }
        }

        private static func invalid(_ header: String, _ value: String, _ reasonCode: String) -> Fault {
            Fault("\(header) is '\(value)'", Expected(reasonCode: reasonCode, field: header)) {
                $0.properties.headers[header] = .string(value)
            }
        }

        @Test(arguments: wholeRequests) func aFaultOfARequestIsReportedAndNothingIsDone(_ fault: Fault) async throws {
            let client = try await client()
            var message = client.message(fault.operation, fault.body)
            fault.spoil(&message)
            let reply = try await client.ask(message)
            #expect(reply.status == fault.expected.status)
            fault.expected.matches(reply.body)
            #expect(reply["uuid"]?.string?.isEmpty == false)
            try await expectService(client)
        }

        /// An operation with one fault. The other operations of its request are executed.
        struct BadOperation: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let operation: JSONValue
            let expected: Expected

            init(_ description: String, _ operation: JSONValue, _ expected: Expected) {
                testDescription = description
                self.operation = operation
                self.expected = expected
            }
        }

        static let badOperations: [BadOperation] = [
            BadOperation(
                "an unknown operation type", .operation("explode", "a", ["n": 1]),
                Expected(reasonCode: "unknown_operation", field: "operationType")),
            BadOperation(
                "a record over 1 MB",
                .operation("create", "a", ["text": .string(String(repeating: "x", count: 1_048_577))]),
                Expected(
                    ckErrorCode: 27, reasonCode: "record_too_large", field: "text", limit: 1_048_576,
                    actual: 1_048_581)),
            BadOperation(
                "a name over 255", .operation("create", String(repeating: "n", count: 256), ["n": 1]),
                Expected(reasonCode: "record_name_too_long", field: "recordName", limit: 255, actual: 256)),
            BadOperation(
                "a field name that is none", .operation("create", "a", ["not a name": 1]),
                Expected(reasonCode: "field_name_invalid", field: "not a name")),
            BadOperation(
                "a value of another type than the field's", .operation("create", "a", ["n": "text"]),
                Expected(reasonCode: "field_type_mismatch", field: "n")),
            BadOperation(
                "a text that no database keeps", .operation("create", "a", ["text": "\u{0}"]),
                Expected(reasonCode: "nul_in_string", field: "text")),
            BadOperation(
                "no record name", ["operationType": "update", "record": ["recordType": "Note", "fields": [:]]],
                Expected(reasonCode: "missing_key", field: "recordName")),
        ]

        @Test(arguments: badOperations) func aFaultOfAnOperationIsReportedAndItsNeighboursAreDone(_ bad: BadOperation)
            async throws
        {
            let client = try await client()
            try await client.save("Notes", "first", ["n": 0, "text": "known"])
            let reply = try await client.modify(
                "Notes", .operation("create", "before", ["n": 1]), bad.operation,
                .operation("create", "after", ["n": 2]))
            #expect(reply.status == 200)
            bad.expected.matches(try #require(reply["records"]?[1]))
            #expect(reply["records"]?[0]?.errorCode == nil)
            #expect(reply["records"]?[2]?.errorCode == nil)
            #expect(try await client.changes("Notes").recordNames == ["first", "before", "after"])
        }

        @Test func conflictOfAnAtomicRequestCarriesTheServersRecord() async throws {
            let client = try await client()
            let stale = try await client.save("Notes", "a", ["n": 1])
            let current = try await client.save("Notes", "a", ["n": 2])
            let reply = try await client.ask(
                .recordsModify,
                .modify("Notes", [.operation("update", "a", ["n": 3], tag: stale.changeTag)], atomic: nil))
            #expect(reply.status == 400)
            Expected(code: "ATOMIC_ERROR", ckErrorCode: 22, reasonCode: "atomic_failure").matches(reply.body)
            let item = try #require(reply["records"]?[0])
            Expected(code: "CONFLICT", ckErrorCode: 14, reasonCode: "change_tag_stale").matches(item)
            #expect(item["serverRecord"] == current)
        }

        enum WrongToken: String, CaseIterable, Sendable {
            case ofAnotherZone, ofAnotherUser, ofADatabase, forged, cut, notBase64
        }

        @Test(arguments: WrongToken.allCases) func tokenThatIsNotTheZonesIsRefused(_ wrong: WrongToken) async throws {
            let client = try await client()
            try await client.zones("create", "Drafts")
            try await client.save("Notes", "a", ["n": 1])
            let good = try #require(try await client.changes("Notes").syncToken)
            let token: String?
            switch wrong {
            case .ofAnotherZone: token = try await client.changes("Drafts").syncToken
            case .ofAnotherUser: token = try await self.client().changes("Notes").syncToken
            case .ofADatabase: token = try await client.databaseChanges().body.syncToken
            case .forged: token = good.replacing(good.prefix(12).suffix(2), with: "AA", maxReplacements: 1)
            case .cut: token = String(good.dropLast(4))
            case .notBase64: token = "!" + good
            }
            #expect(token != good)
            let item = try await client.changes("Notes", since: token)
            let isForeign = [.ofAnotherZone, .ofAnotherUser, .ofADatabase].contains(wrong)
            Expected(
                reasonCode: isForeign ? "change_token_foreign" : "change_token_invalid", field: "syncToken"
            ).matches(item)
            #expect(try await client.changes("Notes", since: good).errorCode == nil)
        }

        private func client() async throws -> TestClient {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            return client
        }

        /// Checks that no part of the invalid request was executed, and that a valid request is answered.
        private func expectService(_ client: TestClient) async throws {
            #expect(try await client.record("Notes", "a").errorCode == "NOT_FOUND")
            try await client.save("Notes", "a", ["n": 1])
        }
    }
}
