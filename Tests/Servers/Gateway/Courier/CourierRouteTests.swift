import SignedTokens
import TestSupport
import Testing

@testable import Gateway

/// The courier with real sockets and a real broker.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"))
struct CourierRouteTests {
    @Test func eachPollReturnsTheNextNotificationUnchanged() async throws {
        try await TestCourier.with { courier in
            try await courier.publish(0..<5)
            let client = try courier.client()
            for number in 0..<5 {
                client.ask(courier.target)
                let answer = await client.answer()
                #expect(answer?.status == 200)
                #expect(answer?.body == courier.body(number))
            }
            try await courier.waitUntilEmpty()
        }
    }

    @Test func aWaitingPollIsAnsweredWhenANotificationArrives() async throws {
        try await TestCourier.with { courier in
            let client = try courier.client()
            client.ask(courier.target)
            try await courier.waitUntilRead(by: 1)
            try await courier.publish(0..<1)
            #expect(await client.answer()?.body == courier.body(0))
        }
    }

    /// A compressed answer would be complete only after it was acknowledged.
    @Test func anAnswerIsNotCompressed() async throws {
        try await TestCourier.with { courier in
            try await courier.publish(0..<1, padding: 5000)
            let client = try courier.client()
            client.ask(courier.target, ["Accept-Encoding": "gzip"])
            #expect(await client.answer()?.body == courier.body(0, padding: 5000))
        }
    }

    @Test func aPollWithoutANotificationIsAnsweredWithNull() async throws {
        try await TestCourier.with(wait: .seconds(1)) { courier in
            let client = try courier.client()
            client.ask(courier.target)
            let answer = await client.answer()
            #expect(answer?.status == 200)
            #expect(answer?.body == "null")
            try await courier.waitUntilRead(by: 0)
        }
    }

    @Test func bothSpellingsOfATokenAreAcceptedAndOthersRefused() async throws {
        try await TestCourier.with { courier in
            let text = courier.token.text
            let escaped = text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            for target in [
                "/courier?tok=\(escaped)", "/courier?tok=\(text)",
                "/courier?ttl=5&tok=\(text.replacing("+", with: "%20"))",
            ] {
                try await courier.publish(0..<1)
                let client = try courier.client()
                client.ask(target)
                #expect(await client.answer()?.status == 200)
            }
            let stranger = ClientToken(.production, with: try TestCourier.keys())
            for (target, status) in [
                ("/courier", 400), ("/courier?tok=abc", 400), ("/courier?tok=\(stranger.urlText)", 400),
                ("/courier?tok=\(ClientToken(.production, with: courier.keys).urlText)", 404),
            ] {
                let client = try courier.client()
                client.ask(target)
                #expect(await client.answer()?.status == status)
            }
            let client = try courier.client()
            client.ask(courier.target, method: "POST")
            #expect(await client.answer()?.status == 405)
        }
    }

    @Test func theNumberOfPollsPerClientIsLimited() async throws {
        try await TestCourier.with(maxPollsPerClient: 2) { courier in
            let clients = try (0..<2).map { _ in try courier.client() }
            for client in clients { client.ask(courier.target) }
            try await courier.waitUntilRead(by: 2)
            let other = try courier.client()
            other.ask(courier.target)
            #expect(await other.answer()?.status == 503)
            clients[0].hangUp()
            try await courier.waitUntilRead(by: 1)
            try await TestCourier.eventually("the permit is free") {
                let client = try courier.client()
                client.ask(courier.target)
                try await courier.publish(0..<2)
                return await client.answer()?.status == 200 ? true : nil
            }
        }
    }

    @Test(arguments: [false, true])
    func aClientThatDisconnectsWhileWaitingLosesNothing(reset: Bool) async throws {
        try await TestCourier.with { courier in
            let client = try courier.client()
            client.ask(courier.target)
            try await courier.waitUntilRead(by: 1)
            client.hangUp(reset: reset)
            try await courier.waitUntilRead(by: 0)
            try await courier.publish(0..<1)
            let next = try courier.client()
            next.ask(courier.target)
            #expect(await next.answer()?.body == courier.body(0))
        }
    }

    /// The client's host has room for only a part of the answer when the client disconnects.
    @Test func aClientThatDisconnectsDuringTheAnswerLosesNothing() async throws {
        try await TestCourier.with { courier in
            let client = try CourierClient(port: courier.port, receiveBuffer: 4096)
            client.ask(courier.target)
            try await courier.waitUntilRead(by: 1)
            try await courier.publish(0..<1, padding: 8 << 20)
            #expect(await client.read { $0.firstRange(of: "\r\n\r\n")?.upperBound } != nil)
            client.hangUp(reset: true)
            try await TestCourier.eventually("it is back") { try await courier.messages() == 1 ? true : nil }
            let next = try courier.client()
            next.ask(courier.target)
            #expect(await next.answer()?.body.utf8.count == courier.body(0, padding: 8 << 20).utf8.count)
            try await courier.waitUntilEmpty()
        }
    }

    @Test func aClientThatDisconnectsAfterTheAnswerHasReceivedIt() async throws {
        try await TestCourier.with { courier in
            try await courier.publish(0..<20)
            for number in 0..<20 {
                let client = try courier.client()
                client.ask(courier.target, number.isMultiple(of: 2) ? ["Connection": "close"] : [:])
                #expect(await client.answer()?.body == courier.body(number))
                client.hangUp()
            }
            try await courier.waitUntilEmpty()
        }
    }

    @Test func eventsArriveInOrderAndAreAcknowledgedWhenReceived() async throws {
        try await TestCourier.with(resume: .seconds(1)) { courier in
            let client = try courier.client()
            client.ask(courier.target, ["Accept": "text/event-stream"])
            try await courier.publish(0..<200)
            for number in 0..<200 { #expect(await client.event() == courier.id(number)) }
            try await courier.waitUntilEmpty()
        }
    }

    @Test func aStreamWithoutEventsSendsHeartbeats() async throws {
        try await TestCourier.with(heartbeat: .seconds(1)) { courier in
            let client = try courier.client()
            client.ask(courier.target, ["Accept": "text/event-stream"])
            // The comment is a separate chunk. The end of the line before it is one character, CR LF.
            #expect(await client.read { $0.firstRange(of: "\r\n:\n\n")?.upperBound } != nil)
        }
    }

    @Test(arguments: [false, true])
    func aBrokenStreamResumesAfterTheLastEventID(reset: Bool) async throws {
        try await TestCourier.with { courier in
            let client = try courier.client()
            client.ask(courier.target, ["Accept": "text/event-stream"])
            try await courier.publish(0..<5)
            for number in 0..<5 { #expect(await client.event() == courier.id(number)) }
            client.hangUp(reset: reset)
            try await courier.waitUntilRead(by: 0)
            try await courier.publish(5..<7)
            // The page had processed three events when it was reloaded.
            let again = try courier.client()
            again.ask(courier.target, ["Accept": "text/event-stream", "Last-Event-ID": courier.id(2)])
            for number in 3..<7 { #expect(await again.event() == courier.id(number)) }
        }
    }

    @Test func anUndetectedBrokenStreamIsEndedByItsSuccessor() async throws {
        try await TestCourier.with { courier in
            let client = try courier.client()
            client.ask(courier.target, ["Accept": "text/event-stream"])
            try await courier.publish(0..<5)
            for number in 0..<5 { #expect(await client.event() == courier.id(number)) }
            let again = try courier.client()
            again.ask(courier.target, ["Accept": "text/event-stream", "Last-Event-ID": courier.id(1)])
            try await courier.publish(5..<8)
            for number in 2..<8 { #expect(await again.event() == courier.id(number)) }
        }
    }

    @Test func shutdownAnswersEveryPoll() async throws {
        try await TestCourier.with { courier in
            let (poll, stream) = (try courier.client(), try courier.client())
            poll.ask(courier.target)
            stream.ask(courier.target, ["Accept": "text/event-stream"])
            try await courier.waitUntilRead(by: 2)
            await courier.shutDown()
            #expect(await poll.answer()?.body == "null")
            #expect(await stream.event() == nil)
        }
    }
}
