import Testing

@testable import AMQPClient

@Suite struct ChannelAssemblyTests {
    private let heading = ContentHeading(
        purpose: .delivered(tag: 7, isRedelivered: false), exchange: "exchange", routingKey: "key")

    private func receive(_ assembly: inout ChannelAssembly, body: [UInt8]) throws -> ChannelEvent? {
        try body.withUnsafeBytes { try assembly.receive(.body($0)) }
    }

    @Test func methodWithoutContentStandsForItself() throws {
        var assembly = ChannelAssembly()
        let event = try assembly.receive(.method(.confirmed(tag: 3, multiple: true)))
        guard case .method(.confirmed(tag: 3, multiple: true)) = event else {
            Issue.record("got \(String(describing: event))")
            return
        }
    }

    @Test(arguments: [[1, 2, 3, 4, 5], [1, 2], [9]] as [[UInt8]], [1, 2, 5])
    func contentIsCompleteWithItsLastPiece(body: [UInt8], pieceBytes: Int) throws {
        var assembly = ChannelAssembly()
        #expect(try assembly.receive(.method(.content(heading))) == nil)
        let properties = AMQPProperties(messageID: "id")
        #expect(try assembly.receive(.header(bodySize: UInt64(body.count), properties)) == nil)
        var event: ChannelEvent?
        for start in stride(from: 0, to: body.count, by: pieceBytes) {
            #expect(event == nil)
            event = try receive(&assembly, body: Array(body[start..<min(body.count, start + pieceBytes)]))
        }
        let content = try #require(event.flatMap(Content.init))
        #expect(content == Content(heading: heading, properties: properties, body: body))
    }

    @Test func emptyBodyNeedsNoPiece() throws {
        var assembly = ChannelAssembly()
        _ = try assembly.receive(.method(.content(heading)))
        let event = try assembly.receive(.header(bodySize: 0, AMQPProperties()))
        #expect(event.flatMap(Content.init)?.body == [])
    }

    @Test func secondMessageStartsAfresh() throws {
        var assembly = ChannelAssembly()
        for content in [[1, 2], [3]] as [[UInt8]] {
            _ = try assembly.receive(.method(.content(heading)))
            _ = try assembly.receive(.header(bodySize: UInt64(content.count), AMQPProperties()))
            #expect(try receive(&assembly, body: content).flatMap(Content.init)?.body == content)
        }
    }

    @Test func closedChannelMayInterruptAMessage() throws {
        var assembly = ChannelAssembly()
        _ = try assembly.receive(.method(.content(heading)))
        let event = try assembly.receive(.method(.channelClosed(replyCode: 404, text: "gone")))
        guard case .method(.channelClosed(404, "gone")) = event else {
            Issue.record("got \(String(describing: event))")
            return
        }
        #expect(try assembly.receive(.method(.content(heading))) == nil)
    }

    @Test func framesOutOfOrderAreAViolation() {
        let violation = AMQPError(.protocolViolation, "")
        #expect(throws: violation) {
            var assembly = ChannelAssembly()
            _ = try assembly.receive(.header(bodySize: 1, AMQPProperties()))
        }
        #expect(throws: violation) {
            var assembly = ChannelAssembly()
            _ = try self.receive(&assembly, body: [1])
        }
        #expect(throws: violation) {
            var assembly = ChannelAssembly()
            _ = try assembly.receive(.method(.content(self.heading)))
            _ = try assembly.receive(.method(.content(self.heading)))
        }
    }

    @Test func longerBodyThanAnnouncedIsAViolation() {
        #expect(throws: AMQPError(.protocolViolation, "")) {
            var assembly = ChannelAssembly()
            _ = try assembly.receive(.method(.content(self.heading)))
            _ = try assembly.receive(.header(bodySize: 2, AMQPProperties()))
            _ = try self.receive(&assembly, body: [1, 2, 3])
        }
    }
}

/// The parts of a content event, for comparison.
private struct Content: Equatable {
    var heading: ContentHeading
    var properties: AMQPProperties
    var body: [UInt8]
}

extension Content {
    init?(_ event: ChannelEvent) {
        guard case .content(let heading, let properties, let body) = event else {
            return nil
        }
        self.init(heading: heading, properties: properties, body: body)
    }
}
