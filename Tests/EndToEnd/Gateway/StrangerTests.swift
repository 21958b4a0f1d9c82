import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Requests without credentials, or with only an API token, which anyone can read, do not affect other clients.
    @Suite(.timeLimit(.minutes(5))) struct StrangerTests {
        /// About 16 MiB of zeros in the gzip format, without the end. After the table of codes, each pair of bits means
        /// 258 more zeros.
        private static let compressedZeros: [UInt8] =
            [
                0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xC1, 0x01, 0x01, 0x00, 0x00, 0x00,
                0x82, 0x20, 0xFF, 0xAF, 0x6E, 0x48, 0x40, 0x01,
            ] + [UInt8](repeating: 0, count: 16_200)

        @Test func twentyCompressedBodiesHeldOpenStopNoOtherClient() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record)
                let gateway = try await stack.startService(.gateway)
                let user = try await GatewayClient.user(stack)
                let world = try await GatewayClient.world(stack)
                guard case .token(let apiToken) = world.credentials else { return }
                let query = user.path("records/query", in: "public")
                // Without credentials, and with the API token that every page of the application contains.
                for (target, status) in [(query, 400), ("\(query)?ckAPIToken=\(apiToken)", 413)] {
                    var held: [HTTPConversation] = []
                    for _ in 0..<20 {
                        let conversation = try HTTPConversation(port: stack.gatewayPort)
                        await conversation.send(Self.unfinished("POST \(target)", Self.compressedZeros, "gzip"))
                        held.append(conversation)
                    }
                    for conversation in held { #expect(try await conversation.reply().status == status) }
                    let body =
                        #"{"zones":[{"zoneName":"_defaultZone"}],"padding":"\#(String(repeating: "a", count: 1 << 20))"}"#
                    #expect(try await user.ask("zones/lookup", body).status == 200)
                    withExtendedLifetime(held) {}
                }
                // At the sign-in page, no caller has credentials, and forms are small.
                let form = try HTTPConversation(port: stack.gatewayPort)
                await form.send(Self.unfinished("POST /signin", Array(repeating: 0x61, count: 20_000)))
                #expect(try await form.reply().status == 413)
                #expect(try await gateway.metric("zonda_gateway_body_bytes") == 0)
                #expect(gateway.errors == [])
            }
        }

        @Test func anAddressHoldsItsShareOfTheMemoryForBodies() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record)
                let gateway = try await stack.startService(
                    .gateway,
                    [
                        "ZONDA_HTTP_MAX_BODIES": "8388608", "ZONDA_HTTP_MAX_BODY": "2097152",
                        "ZONDA_HTTP_TRUSTED_PROXIES": "127.0.0.1",
                    ])
                let world = try await GatewayClient.world(stack)
                guard case .token(let apiToken) = world.credentials else { return }
                let target = "POST \(world.path("records/query", in: "public"))?ckAPIToken=\(apiToken)"
                let stranger = "X-Forwarded-For: 192.0.2.1\r\n"
                let bytes = [UInt8](repeating: 0x20, count: 1_500_000)
                let held = try HTTPConversation(port: stack.gatewayPort)
                await held.send(Self.unfinished(target, bytes, fields: stranger))
                try await eventually("the body has come") {
                    try await gateway.metric("zonda_gateway_body_bytes") >= 1_500_000 ? true : nil
                }
                let second = try HTTPConversation(port: stack.gatewayPort)
                await second.send(Self.unfinished(target, bytes, fields: stranger))
                let refused = try await second.reply()
                #expect(refused.status == 503)
                #expect(try JSONValue(parsing: refused.body)["serverErrorCode"] == "TRY_AGAIN_LATER")
                // Other addresses have their own limit.
                let body = #"{"query":{"recordType":"Note"},"padding":"\#(String(repeating: "a", count: 1 << 20))"}"#
                let other = try await world.ask("records/query", in: "public", body)
                #expect(other.status != 503, "\(other.text)")
                withExtendedLifetime(held) {}
            }
        }

        /// Returns a request whose body has not ended.
        private static func unfinished(
            _ line: String, _ body: [UInt8], _ encoding: String? = nil, fields: String = ""
        ) -> [UInt8] {
            let encoding = encoding.map { "Content-Encoding: \($0)\r\n" } ?? ""
            let head =
                "\(line) HTTP/1.1\r\nHost: localhost\r\n\(encoding)\(fields)Transfer-Encoding: chunked\r\n\r\n"
            return Array("\(head)\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n".utf8)
        }
    }
}
