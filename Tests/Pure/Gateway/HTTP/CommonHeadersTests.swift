import CloudKitModel
import CloudKitWire
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

@testable import Gateway

/// The headers of every answer, and those that browsers need.
@Suite(.timeLimit(.minutes(5))) struct CommonHeadersTests {
    @Test func everyAnswerHasTheHeadersOfWebServices() async throws {
        try await GatewayFront.with { front in
            let reply = try await front.ask(
                "POST", GatewayFront.modify, ["Origin": "https://app.example"], body: Array("{}".utf8))
            #expect(reply.status == 200)
            #expect(reply.text == #"{"records":[]}"#)
            #expect(reply.headers["content-type"] == "application/json; charset=UTF-8")
            #expect(reply.headers["x-apple-cloudkit-version"] == "1.0")
            #expect(reply.headers["x-apple-cloudkit-web-auth-token"] == "fresh")
            #expect(reply.headers["x-apple-cloudkit-session"] == "fresh")
            #expect(reply.headers["cache-control"] == "no-store")
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(UUID(uuidString: reply.headers["x-apple-request-uuid"] ?? "") != nil)
        }
    }

    @Test(arguments: ["/database/1/c/development/private/zones/list", "/nowhere", GatewayFront.modify, "/courier"])
    func pagesMayReadAnswersOfEachKind(path: String) async throws {
        try await GatewayFront.with { front in
            let reply = try await front.ask("GET", path, ["Origin": "https://app.example"])
            #expect(reply.headers["access-control-allow-origin"] == "https://app.example")
            #expect(reply.headers["access-control-allow-credentials"] == "true")
            let exposed = reply.headers["access-control-expose-headers"] ?? ""
            #expect(exposed.hasPrefix("X-Apple-Request-UUID,X-Apple-CloudKit-Web-Auth-Token,"))
            #expect(reply.headers["vary"] == "Origin")
            let plain = try await front.ask("GET", path)
            #expect(plain.headers["access-control-allow-origin"] == nil)
            #expect(plain.headers["access-control-allow-credentials"] == nil)
            #expect(plain.headers["vary"] == "Origin")
        }
    }

    @Test func pagesOfOtherOriginsCannotReadSignIn() async throws {
        try await GatewayFront.with { front in
            let reply = try await front.ask("GET", "/signin?t=x", ["Origin": "https://evil.example"])
            #expect(reply.status == 200)
            #expect(reply.headers["access-control-allow-origin"] == nil)
            let options = try await front.ask("OPTIONS", "/signin", ["Origin": "https://evil.example"])
            #expect(options.status == 405)
            #expect(options.headers["allow"] == "GET,POST")
            #expect(options.headers["content-type"] == "text/html; charset=UTF-8")
        }
    }

    @Test(arguments: [
        (GatewayFront.modify, "POST,OPTIONS"), ("/database/1/c/development/public/zones/list", "GET,POST,OPTIONS"),
        ("/courier?tok=x", "GET,OPTIONS"), ("/nowhere", "GET,POST,OPTIONS"),
    ])
    func preflightIsAnswered(path: String, allow: String) async throws {
        try await GatewayFront.with { front in
            let reply = try await front.ask(
                "OPTIONS", path,
                ["Origin": "null", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-a"])
            #expect(reply.status == 200)
            #expect(reply.headers["allow"] == allow)
            #expect(reply.headers["access-control-allow-methods"] == allow)
            #expect(reply.headers["access-control-allow-headers"] == "x-a")
            #expect(reply.headers["access-control-allow-origin"] == "null")
            #expect(front.services.asked.isEmpty)
        }
    }

    @Test func anErrorHasTheIDOfItsHeaderAndTheNextToken() async throws {
        try await GatewayFront.with { front in
            let reply = try await front.ask("POST", GatewayFront.modify, body: Array("[]".utf8))
            #expect(reply.status == 400)
            let error = try JSONValue(parsing: reply.body)
            #expect(error["uuid"]?.string == reply.headers["x-apple-request-uuid"])
            #expect(error["serverErrorCode"]?.string == "BAD_REQUEST")
            #expect(reply.headers["x-apple-cloudkit-web-auth-token"] == "fresh")
        }
    }

    @Test func aRefusalNamesTheSignInPage() async throws {
        var setup = GatewayFront.Setup()
        setup.authenticate = { _, _ in
            throw Refusal(
                ServerError(.authenticationRequired, "request needs authorization"),
                redirectURL: "https://zonda.example/signin?t=1")
        }
        try await GatewayFront.with(setup) { front in
            let reply = try await front.ask(
                "GET", "/database/1/c/development/public/users/caller", ["Origin": "https://a.b"])
            #expect(reply.status == 421)
            let error = try JSONValue(parsing: reply.body)
            #expect(error["redirectURL"]?.string == "https://zonda.example/signin?t=1")
            #expect(error["serverErrorCode"]?.string == "AUTHENTICATION_REQUIRED")
            #expect(reply.headers["access-control-allow-origin"] == "https://a.b")
            #expect(reply.headers["x-apple-cloudkit-web-auth-token"] == nil)
        }
    }

    @Test func theAllowedMethodsAreNamed() async throws {
        try await GatewayFront.with { front in
            for method in ["GET", "PUT", "DELETE", "PATCH", "HEAD"] {
                let reply = try await front.ask(method, GatewayFront.modify)
                #expect(reply.status == 405)
                #expect(reply.headers["allow"] == "POST,OPTIONS")
            }
            #expect(try await front.ask("POST", "/courier?tok=x").status == 405)
            #expect(try await front.ask("HEAD", "/courier?tok=x").status == 405)
        }
    }

    @Test func headIsAnsweredWithoutABody() async throws {
        try await GatewayFront.with { front in
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send(
                GatewayFront.request(
                    "HEAD", "/database/1/c/development/private/zones/list", ["Accept-Encoding": "gzip"]))
            let head = try await conversation.reply(isHead: true)
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "14")
            await conversation.send(GatewayFront.request("GET", "/database/1/c/development/private/zones/list"))
            #expect(try await conversation.reply().text == #"{"records":[]}"#)
        }
    }

    @Test func linksOfSharesAreForwarded() async throws {
        try await GatewayFront.with { front in
            for action in ["resolve", "accept"] {
                let reply = try await front.ask(
                    "POST", "/database/1/c/development/public/records/\(action)",
                    body: Array(#"{"shortGUIDs":[{"value":"a"}]}"#.utf8))
                #expect(reply.status == 200)
                #expect(try JSONValue(parsing: reply.body)["records"]?.array == [])
            }
        }
    }
}
