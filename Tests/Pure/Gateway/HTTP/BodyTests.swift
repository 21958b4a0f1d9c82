import AMQPClient
import CloudKitModel
import CloudKitWire
import GatewayTestSupport
import TestSupport
import Testing

@testable import Gateway

/// Bodies of requests: their maximum, and the credentials that a large one requires.
@Suite(.timeLimit(.minutes(5))) struct BodyTests {
    @Test func aTooLongBodyIsRefused() async throws {
        try await GatewayFront.with { front in
            let body = [UInt8](repeating: 0x20, count: 1 << 20)
            #expect(try await front.ask("POST", GatewayFront.modify, body: body).status == 200)
            let reply = try await front.ask("POST", GatewayFront.modify, body: body + [0x20])
            #expect(reply.status == 413)
            #expect(try JSONValue(parsing: reply.body)["reasonCode"]?.string == "limit_exceeded")
            #expect(reply.headers["connection"] == "close")
        }
    }

    @Test func aChunkedBodyIsRefusedWhenItBecomesTooLong() async throws {
        try await GatewayFront.with { front in
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send(
                "POST \(GatewayFront.modify) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x10000) + Array("\r\n".utf8)
            for _ in 0..<20 { await conversation.send(chunk) }
            let reply = try await conversation.reply()
            #expect(reply.status == 413)
            try await conversation.rest()
        }
    }

    @Test func aClientThatExpects100ReceivesItBeforeItsBodyIsRead() async throws {
        try await GatewayFront.with { front in
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send(
                "POST \(GatewayFront.modify) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try await conversation.reply().status == 100)
            await conversation.send("{}")
            #expect(try await conversation.reply().status == 200)
            await conversation.send(
                "POST \(GatewayFront.modify) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 99999999\r\n\r\n")
            #expect(try await conversation.reply().status == 413)
        }
    }

    @Test func aLargeBodyIsReadOnlyWithValidCredentials() async throws {
        var setup = GatewayFront.Setup()
        setup.admits = { request, _ in
            guard request.query["ckAPIToken"] == "good" else {
                throw Refusal(
                    ServerError(.apiTokenInvalid, "The API token does not belong to this environment of the container"))
            }
        }
        let memory = setup.memory
        try await GatewayFront.with(setup) { front in
            let body = [UInt8](repeating: 0x20, count: 100_000)
            let head =
                "POST \(GatewayFront.modify)?ckAPIToken=bad HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count + 1)\r\n"
            for expects in ["", "Expect: 100-continue\r\n"] {
                // The request is answered although its body has not ended, and the client receives no 100.
                let stranger = try HTTPConversation(port: front.port)
                await stranger.send(Array("\(head)\(expects)\r\n".utf8) + (expects.isEmpty ? body : []))
                let refused = try await stranger.reply()
                #expect(refused.status == 401)
                #expect(refused.headers["connection"] == "close")
                #expect(memory.taken == 0)
            }
            let good = GatewayFront.modify + "?ckAPIToken=good"
            #expect(try await front.ask("POST", good, body: body).status == 200)
            // Small bodies arrive together with their heads, and the connection stays open.
            let small = try HTTPConversation(port: front.port)
            for _ in 0..<2 {
                await small.send(GatewayFront.request("POST", good, body: Array("{}".utf8)))
                #expect(try await small.reply().status == 200)
            }
            await small.send(GatewayFront.request("POST", good, body: body))
            #expect(try await small.reply().status == 200)
            await small.send(GatewayFront.request("POST", good, body: Array("{}".utf8)))
            #expect(try await small.reply().status == 200)
        }
        #expect(memory.taken == 0)
    }

    @Test func pipelinedBodiesAreReadOneAfterTheOther() async throws {
        try await GatewayFront.with { front in
            let large = Array("{\"a\":\"".utf8) + [UInt8](repeating: 0x61, count: 200_000) + Array("\"}".utf8)
            let small = GatewayFront.request("POST", GatewayFront.modify, body: Array("{}".utf8))
            let request = GatewayFront.request("POST", GatewayFront.modify, body: large)
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send(small + request + small + request + small)
            for _ in 0..<5 { #expect(try await conversation.reply().status == 200) }
            #expect(front.services.asked.map(\.body.count) == [2, large.count, 2, large.count, 2])
        }
    }
}
