import CloudKitWire
import OperatorMessages
import ServiceMessages
import TestSupport
import Testing

/// The values agree with `deploy/docs/asyncapi.yaml`. `Tests/Contract/check examples` creates examples of its schemas
/// that contain every member. A type that lacks a member would lose it when it is encoded again.
@Suite struct ContractExampleTests {
    private static let requests: [any OperatorRequest.Type] = [
        AssetStatRequest.self, AssetJobsRequest.self, AssetReceiptRequest.self, AssetUsageRequest.self,
        AssetQuotaRequest.self, AssetQuarantineRequest.self, AssetReconcileRequest.self,
        UserCreateRequest.self, UserListRequest.self, UserTokenRequest.self, UserSignInsRequest.self,
        UserPasswordRequest.self, UserSignOutRequest.self, UserDeleteRequest.self,
        APITokenCreateRequest.self, APITokenListRequest.self, APITokenRevokeRequest.self,
        ServerKeyAddRequest.self, ServerKeyListRequest.self, ServerKeyRevokeRequest.self,
    ]

    @Test func eachOperationOfOperatorsHasOneRequest() {
        let operations = ServiceMessages.Operation.allCases.filter { $0.exchange == Exchange.admin }
        let requests = Set(Self.requests.map { $0.operation })
        #expect(requests.count == Self.requests.count && requests.isSubset(of: operations))
    }

    @Test(.timeLimit(.minutes(3))) func eachMemberOfTheDocumentIsRead() async throws {
        let check = try ChildProcess.ofRepository("Tests/Contract/check", ["examples"])
        let exit = try await check.exit(within: .seconds(100))
        try #require(exit == .code(0), "\(check.errorText)")
        let documented = try JSONValue(parsing: check.outputText)["broker"]?.array ?? []
        for request in Self.requests {
            let name = request.operation.rawValue
            let entry = try #require(documented.first { $0["operation"]?.string == name }, "\(name)")
            let bodies = entry["examples"]?.array?.compactMap { $0["payload"] } ?? []
            let answers = entry["answers"]?.array ?? []
            #expect(!bodies.isEmpty && !answers.isEmpty, "\(name)")
            for body in bodies { try Self.compare(body, with: request, name) }
            for answer in answers { try Self.compareAnswer(answer, of: request, name) }
        }
    }

    private static func compare(_ body: JSONValue, with type: (some OperatorRequest).Type, _ name: String) throws {
        #expect(normal(JSONValue(encoding: try type.init(json: body))) == normal(body), "\(name)")
    }

    private static func compareAnswer<Request: OperatorRequest>(
        _ answer: JSONValue, of type: Request.Type, _ name: String
    ) throws {
        let value = try answer.decoded(as: Request.Answer.self)
        #expect(normal(JSONValue(encoding: value)) == normal(answer), "\(name)")
    }

    /// Sorts members, omits those that are null, and converts all numbers to doubles.
    private static func normal(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(let members):
            .object(
                members.filter { !$0.value.isNull }.map { .init($0.key, normal($0.value)) }.sorted { $0.key < $1.key })
        case .array(let elements): .array(elements.map(normal))
        case .int(let number): .double(Double(number))
        default: json
        }
    }
}
