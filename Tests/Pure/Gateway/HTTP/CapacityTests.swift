import CloudKitWire
import GatewayTestSupport
import HTTPServing
import RequestServing
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// The limits that requests share: connections, memory, concurrent requests, and rates.
@Suite(.timeLimit(.minutes(5))) struct CapacityTests {
    @Test func aNewConnectionReplacesTheLongestIdleOne() async throws {
        var setup = GatewayFront.Setup()
        setup.maxConnections = 2
        try await GatewayFront.with(setup) { front in
            let open = try (0..<2).map { _ in try HTTPConversation(port: front.port) }
            // The second sends one more request. Then the first has been idle for longest.
            for conversation in open + [open[1]] {
                await conversation.send(GatewayFront.request("GET", "/nowhere"))
                #expect(try await conversation.reply().status == 404)
            }
            #expect(try await front.ask("GET", "/nowhere").status == 404)
            #expect(try await open[0].rest() == 0)
            await open[1].send(GatewayFront.request("GET", "/nowhere", ["Connection": "close"]))
            #expect(try await open[1].reply().headers["connection"] == "close")
            try await open[1].rest()
        }
    }

    @Test func bodiesShareALimitedMemory() async throws {
        var setup = GatewayFront.Setup()
        setup.memory = FairBudget(1_500_000)
        let memory = setup.memory
        try await GatewayFront.with(setup) { front in
            let body = [UInt8](repeating: 0x20, count: 900_000)
            // Imitates the memory of another request.
            #expect(memory.take(900_000) == nil)
            let refusal = try await front.ask("POST", GatewayFront.modify, body: body)
            #expect(refusal.status == 503)
            #expect(refusal.headers["retry-after"] != nil)
            memory.giveBack(900_000)
            #expect(try await front.ask("POST", GatewayFront.modify, body: body).status == 200)
        }
        // All memory was given back.
        #expect(memory.taken == 0)
    }

    @Test func anAddressAndAContainerHaveSharesOfTheMemory() async throws {
        var setup = GatewayFront.Setup()
        setup.memory = FairBudget(1_000_000, parts: FairBudget.Parts(address: 25, container: 50))
        let memory = setup.memory
        try await GatewayFront.with(setup) { front in
            let body = [UInt8](repeating: 0x20, count: 200_000)
            let loopback = Holder(address: IPAddress("127.0.0.1"), container: "another")
            #expect(memory.take(100_000, for: loopback) == nil)
            let ofAddress = try await front.ask("POST", GatewayFront.modify, body: body)
            #expect(ofAddress.status == 503)
            #expect(ofAddress.text.contains("for one address"))
            memory.giveBack(100_000, of: loopback)
            let others = Holder(address: IPAddress("192.0.2.1"), container: "com.example")
            for _ in 0..<2 { #expect(memory.take(200_000, for: Holder(container: "com.example")) == nil) }
            #expect(memory.take(200_000, for: others) == .container)
            let ofContainer = try await front.ask("POST", GatewayFront.modify, body: body)
            #expect(ofContainer.status == 503)
            #expect(ofContainer.text.contains("for one container"))
            memory.giveBack(400_000, of: Holder(container: "com.example"))
            #expect(try await front.ask("POST", GatewayFront.modify, body: body).status == 200)
        }
        #expect(memory.taken == 0)
    }

    @Test func theNumberOfConcurrentRequestsIsLimited() async throws {
        var setup = GatewayFront.Setup()
        setup.permits = FairBudget(1)
        let (asked, isAsked) = AsyncStream.makeStream(of: Void.self)
        let (gate, opens) = AsyncStream.makeStream(of: Void.self)
        try await GatewayFront.with(setup) { front in
            front.services.answer.withLock {
                $0 = { _ in
                    isAsked.yield()
                    for await _ in gate { break }
                    return (200, "{}")
                }
            }
            async let first = front.ask("POST", GatewayFront.modify)
            for await _ in asked { break }
            let second = try await front.ask("POST", GatewayFront.modify)
            #expect(second.status == 503)
            #expect(second.headers["retry-after"] == "1")
            #expect(try await front.ask("GET", "/courier?tok=x").status == 200)
            opens.yield()
            #expect(try await first.status == 200)
        }
    }

    @Test func anAddressThatSendsTooManyRequestsIsThrottled() async throws {
        var setup = GatewayFront.Setup()
        setup.rates.address = .init(perSecond: 1, burst: 2)
        setup.proxies = ["127.0.0.1"].compactMap { AddressRange($0) }
        try await GatewayFront.with(setup) { front in
            for _ in 0..<2 { #expect(try await front.ask("GET", "/nowhere").status == 404) }
            let reply = try await front.ask("GET", "/nowhere", ["Origin": "https://a.b"])
            #expect(reply.status == 429)
            #expect(reply.headers["retry-after"] == "1")
            #expect(reply.headers["access-control-allow-origin"] == "https://a.b")
            #expect(try JSONValue(parsing: reply.body)["serverErrorCode"]?.string == "THROTTLED")
            #expect(try await front.ask("GET", "/nowhere", ["X-Forwarded-For": "192.0.2.1"]).status == 404)
        }
    }
}
