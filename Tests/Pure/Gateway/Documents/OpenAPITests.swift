import CloudKitModel
import CloudKitWire
import Crypto
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Gateway

/// `deploy/docs/openapi.yaml` agrees with the code, and the gateway serves it. See `Tests/Contract`.
@Suite struct OpenAPITests {
    @Test(.timeLimit(.minutes(3))) func theDocumentIsValidAndAgreesWithTheCode() async throws {
        let code = String(decoding: try Self.code.encoded(), as: UTF8.self)
        let check = try ChildProcess.ofRepository("Tests/Contract/check", ["openapi", code])
        let exit = try await check.exit(within: .seconds(100))
        #expect(exit == .code(0), "\(check.outputText)\(check.errorText)")
    }

    /// The endpoints and statuses that the document must name, exactly, and digests of the answers of the gateway.
    private static var code: JSONValue {
        get throws {
            let endpoints = Endpoint.allCases.map { endpoint in
                JSONValue.Member(
                    endpoint.rawValue,
                    [
                        "get": .bool(endpoint.allowsGet),
                        "databases": .array(endpoint.databases.map { .string($0.wireName) }),
                    ])
            }
            let statuses = Set(ServerErrorCode.allCases.map(\.httpStatus))
            return [
                "endpoints": .object(endpoints), "statuses": .array(statuses.map { .int(Int64($0)) }),
                "served": [
                    "/openapi.yaml": .string(try digest("/openapi.yaml")), "/docs": .string(try digest("/docs")),
                ],
            ]
        }
    }

    /// Returns the SHA-256 of an answer's body, in which the nonce of the style is replaced by the placeholder of the
    /// page's source.
    private static func digest(_ path: String) throws -> String {
        let answer = try #require(DocumentRoute().answer(to: SignInStage.request(.get, path)))
        let nonce = answer.headers[.contentSecurityPolicy]?.firstMatch(of: /style-src 'nonce-([^']+)'/)?.1
        let text = nonce.map { answer.html.replacing($0, with: "{{nonce}}") } ?? answer.html
        return SHA256.hash(data: Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    @Test func theDocumentIsServedUnchangedAndAsAPage() throws {
        let document = try #require(DocumentRoute().answer(to: SignInStage.request(.get, "/openapi.yaml")))
        #expect(document.status == 200)
        #expect(document.headers[.contentType] == "application/yaml")
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../deploy/docs/openapi.yaml")
        #expect(document.body == Array(try Data(contentsOf: file)))

        let page = try #require(DocumentRoute().answer(to: SignInStage.request(.get, "/docs")))
        #expect(page.status == 200)
        let policy = try #require(page.headers[.contentSecurityPolicy])
        let nonce = try #require(policy.firstMatch(of: /style-src 'nonce-([^']+)'/)?.1)
        #expect(page.html.contains(#"<style nonce="\#(nonce)">"#))
        #expect(page.html.contains("/database/1/{container}/{environment}/{database}/records/modify"))
        #expect(!page.html.contains("<script"))
        #expect(page.html.firstMatch(of: /(src|href)="(https?:)?\/\//) == nil)

        #expect(DocumentRoute().answer(to: SignInStage.request(.get, "/docs/x")) == nil)
        #expect(DocumentRoute().answer(to: SignInStage.request(.post, "/docs")) == nil)
    }
}
