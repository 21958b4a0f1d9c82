import CloudKitModel
import CloudKitWire
import Crypto
import Foundation
import GatewayTestSupport
import HTTPTypes
import ServiceMessages
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayStorage

/// The permissions of a server-to-server key (web-services 4.4), with a real database.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(5)))
struct SignatureAuthenticationTests {
    @Test func aSignatureActsAsItsKeyOnlyInThePublicDatabase() async throws {
        try await AccountStack.with { stack in
            let key = P256.Signing.PrivateKey()
            let added = try await stack.ask(
                .serverKeysAdd,
                [
                    "container": .string(AccountStack.notes.container), "environment": "development",
                    "name": "importer",
                    "publicKey": .string(key.publicKey.pemRepresentation),
                ])
            let id = try #require(added["keyID"]?.string)
            let request = try signed("/database/1/x", body: "{}", key, id: id)
            let caller = try await stack.authenticator.authenticate(request, at: EndpointPath.notes(.recordsModify))
            #expect(caller.kind == .serverKey(id: id))
            #expect(caller.userName == added["userRecordName"]?.string)
            #expect(caller.apiToken == nil && caller.renewedToken == nil)
            for endpoint in [Endpoint.usersCaller, .usersCurrent, .zonesList, .assetsUpload, .tokensCreate] {
                #expect(try await stack.refusal(of: request, at: EndpointPath.notes(endpoint)) == nil)
            }
            for path in [
                EndpointPath.notes(.recordsQuery, .private), EndpointPath.notes(.recordsQuery, .shared),
                EndpointPath.notes(.usersDiscover),
                EndpointPath.notes(.usersLookupEmail),
            ] {
                let refused = try await stack.refusal(of: request, at: path)
                #expect(refused?.error.code == .authenticationFailed)
                #expect(refused?.error.reasonCode == "server_key_not_enough")
            }
            for path in [
                EndpointPath.notes(.recordsQuery, container: "iCloud.org.example.Other"),
                EndpointPath.notes(.recordsQuery, .public, .production),
            ] {
                let refused = try #require(try await stack.refusal(of: request, at: path))
                #expect(refused.error.code == .authenticationFailed)
                #expect(refused.error.reason == "Authentication failed")
            }
            let other = try signed("/database/1/x", body: "{}", P256.Signing.PrivateKey(), id: id)
            #expect(
                try await stack.refusal(of: other, at: EndpointPath.notes(.recordsQuery))?.error.reasonCode
                    == "signature_invalid")
            stack.time.pass(.seconds(601))
            #expect(
                try await stack.refusal(of: request, at: EndpointPath.notes(.recordsQuery))?.error.reasonCode
                    == "signature_invalid")
            stack.time.pass(.seconds(-601))
            try await stack.ask(
                .serverKeysRevoke,
                [
                    "container": .string(AccountStack.notes.container), "environment": "development",
                    "keyID": .string(id),
                ])
            #expect(
                try await stack.refusal(of: request, at: EndpointPath.notes(.recordsQuery))?.error.reasonCode
                    == "signature_invalid")
        }
    }

    private func signed(
        _ target: String, body: String, _ key: P256.Signing.PrivateKey, id: String
    ) throws -> GatewayRequest {
        let date = "2026-01-15T09:30:00Z"
        let hash = Data(SHA256.hash(data: Data(body.utf8))).base64EncodedString()
        let signature = try key.signature(for: Data("\(date):\(hash):\(target)".utf8)).derRepresentation
        return .sent(
            target,
            headers: .signature(keyID: id.uppercased(), date: date, signature: signature.base64EncodedString()),
            body: body)
    }
}
