import CloudKitModel
import CloudKitWire
import OperatorMessages
import ServiceMessages
import TestSupport
import Testing

/// The values agree with `deploy/docs/asyncapi.yaml`. `Tests/Contract/check examples` creates examples of its schemas
/// that contain every member. A type that lacks a member would lose it when it is encoded again.
@Suite struct ContractExampleTests {
    private static let requests: [any OperatorRequest.Type] = [
        ContainersCreateRequest.self, ContainersListRequest.self, ContainersDeleteRequest.self, ZonesPurgeRequest.self,
        AssetReferencesRequest.self,
        SchemaExportRequest.self, SchemaImportRequest.self, SchemaValidateRequest.self, SchemaDeployRequest.self,
        SchemaResetRequest.self, SchemaStatusRequest.self, RolesListRequest.self, RolesAssignRequest.self,
        SharesExplainRequest.self,
        SubscriptionsStatesRequest.self, SubscriptionsTestRequest.self,
        ConsumersGrantRequest.self, ConsumersListRequest.self, ConsumersRevokeRequest.self,
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
        #expect(requests.count == Self.requests.count && requests == Set(operations))
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
            for choice in 0..<2 {
                for body in bodies { try Self.compare(Self.choosing(choice, in: body), with: request, name) }
                for answer in answers { try Self.compareAnswer(Self.choosing(choice, in: answer), of: request, name) }
            }
        }
    }

    private static func compare<Request: OperatorRequest>(
        _ body: JSONValue, with type: Request.Type, _ name: String
    ) throws {
        try compare(body, name) { () throws(ServerError) in try Request(json: body) }
    }

    private static func compareAnswer<Request: OperatorRequest>(
        _ answer: JSONValue, of type: Request.Type, _ name: String
    ) throws {
        try compare(answer, name) { () throws(ServerError) in try answer.decoded(as: Request.Answer.self) }
    }

    private static func compare(
        _ json: JSONValue, _ name: String, decode: () throws(ServerError) -> some Encodable
    ) throws {
        do throws(ServerError) {
            #expect(normal(JSONValue(encoding: try decode())) == normal(json), "\(name)")
        } catch {
            // An example without optional members lacks a private database's user and all alternatives.
            guard [.missingKey("user"), .missingKey(alternatives[0])].contains(error) else { throw error }
        }
    }

    /// Members of which an object contains only one. The first examples contain all of them.
    private static let alternatives = ["zones", "allZones", "all"]

    /// Omits all alternatives except one from each object.
    private static func choosing(_ choice: Int, in json: JSONValue) -> JSONValue {
        switch json {
        case .object(let members):
            let found = alternatives.filter { json[$0] != nil }
            return .object(
                members.filter { found.count < 2 || $0.key == found[choice] || !found.contains($0.key) }.map {
                    .init($0.key, choosing(choice, in: $0.value))
                })
        case .array(let elements): return .array(elements.map { choosing(choice, in: $0) })
        default: return json
        }
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
