import CloudKitWire
import ServiceMessages
import TestGenerators
import TestSupport

/// Sends hostile messages to services, one at a time, over its own connection. It opens a new connection if the broker
/// has closed the old one, or if a late answer may still arrive there.
struct BrokerAttack {
    let ground: HostileGround
    private var wire: BrokerWire?

    init(on ground: HostileGround) { self.ground = ground }

    /// A hostile message, and the outcomes other than an answer that are allowed.
    private struct Message {
        var request: BrokerRequest
        /// Whether the message may be accepted without an answer.
        var maySilence = false
        /// Whether the broker may refuse the message.
        var mayClose = false
        /// The correlation id that the answer must have; nil if the request's is the invalid part.
        var correlationID: [UInt8]?
    }

    /// Sends the message of a case.
    ///
    /// - Throws: ``TestFailure`` if the broker cannot be reached.
    mutating func send(_ hostile: HostileCase) async throws -> HostileOutcome {
        guard let message = message(of: hostile) else { return .silent }
        return try await send(message, number: hostile.number)
    }

    /// Sends a message that must be answered or dead-lettered.
    ///
    /// - Throws: ``TestFailure`` if the broker cannot be reached.
    mutating func send(_ request: BrokerRequest, number: Int, maySilence: Bool = false) async throws -> HostileOutcome {
        try await send(Message(request: request, maySilence: maySilence), number: number)
    }

    private mutating func send(_ message: Message, number: Int) async throws -> HostileOutcome {
        let wire = try await connection()
        ground.deadLetters.expect(number, wire)
        defer { ground.deadLetters.forget(number) }
        await wire.send(message.request.frames)
        // If the request may be dropped, the wait is short, because no answer is expected.
        let limit = message.maySilence ? .seconds(1) : HostileGround.patience
        let event: BrokerWire.Event
        do {
            event = try await within(limit, "an answer") {
                for await event in wire.events { return event }
                return BrokerWire.Event.lost
            }
        } catch {
            self.wire = nil
            return message.maySilence ? .silent : .failed("no answer within \(limit)")
        }
        return outcome(event, message)
    }

    private mutating func outcome(_ event: BrokerWire.Event, _ message: Message) -> HostileOutcome {
        switch event {
        case .message(let answer):
            guard let status = answer.header(Header.status).flatMap({ Int($0) }) else {
                return .failed("an answer without a status")
            }
            if let expected = message.correlationID, expected != answer.correlationID {
                wire = nil
                return .failed("an answer of another request: \(answer.correlationID ?? [])")
            }
            return status == 500
                ? .failed("500 \(String(decoding: answer.body.prefix(400), as: UTF8.self))") : .answered(status)
        case .deadLettered(let reason):
            // After the broker has dead-lettered a request, an answer may still follow.
            wire = nil
            return .deadLettered(reason)
        case .closed(let text):
            wire = nil
            return message.mayClose ? .closed(text) : .failed("the broker closed: \(text)")
        case .lost, .taken:
            wire = nil
            return message.mayClose ? .closed("lost") : .failed("the connection was lost")
        }
    }

    private mutating func connection() async throws -> BrokerWire {
        if let wire { return wire }
        let new = try await BrokerWire.open(ground.stack.vhost.url)
        wire = new
        return new
    }

    /// Describes the message of a case as text, to reproduce the case.
    static func describe(_ hostile: HostileCase, on ground: HostileGround) -> String {
        guard let request = BrokerAttack(on: ground).message(of: hostile)?.request else { return "" }
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(600), as: UTF8.self) }
        let headers = request.headers.map { "\(text($0.name))=\(text(Array($0.value.prefix(120))))" }
        let properties = request.properties.map { "\($0.key.rawValue)=\(text(Array($0.value.dropFirst().prefix(80))))" }
        return "\(request.exchange) \(text(request.routingKey)) \(properties.sorted()) \(headers) "
            + "\(request.body.count) bytes: \(text(request.body))"
    }

    private func message(of hostile: HostileCase) -> Message? {
        guard let documented = hostile.request, let example = hostile.example,
            case .broker(let exchange) = documented.transport
        else { return nil }
        var generator = hostile.generator
        let isUnknown = documented.operation.hasPrefix("{")
        var request = BrokerRequest(
            exchange: exchange, routingKey: Array((isUnknown ? "records.explode" : documented.operation).utf8))
        let id = "h-\(ground.seed)-\(hostile.number)"
        request.set(.messageID, id)
        request.set(.correlationID, id)
        request.set(.replyTo, "amq.rabbitmq.reply-to")
        request.set(.contentType, "application/json")
        request.properties[.deliveryMode] = [1]
        request.headers = example.headers.map { (Array($0.key.utf8), BrokerHeaders.value($0.value)) }
        // Half of the requests go to the container of the honest clients.
        if exchange == Exchange.requests, Bool.random(using: &generator) {
            request.set(header: Header.container, .string(ground.stack.container))
        }
        request.body = Self.body(documented, example, hostile, &generator)
        var message = Message(request: request, correlationID: Array(id.utf8))
        if case .header(let name) = hostile.place {
            message.request.headers = BrokerHeaders.spoil(message.request.headers, name, hostile.kind, &generator)
            message.maySilence = name == Header.deadline
            // RabbitMQ closes the connection if a number, such as NaN, cannot be represented in Erlang.
            message.mayClose = hostile.kind == .wrongType
        }
        if case .property(let name) = hostile.place, let property = BrokerProperty(rawValue: name) {
            spoil(property, &message, hostile.kind, &generator)
        }
        message.request.set(header: DeadLetterWatch.mark, .string("\(hostile.number)"))
        return message
    }

    private static func body(
        _ documented: DocumentedRequest, _ example: DocumentedRequest.Example, _ hostile: HostileCase,
        _ generator: inout SeededGenerator
    ) -> [UInt8] {
        guard let payload = example.payload else { return [] }
        if case .member(let path) = hostile.place {
            return HostileJSON(payload, at: path, hostile.kind, &generator).bytes
        }
        let text = documented.isText ? Array((payload.string ?? "").utf8) : payload.encoded()
        return hostile.place == .body ? HostileText.body(hostile.kind, text, &generator) : text
    }

    private func spoil(
        _ property: BrokerProperty, _ message: inout Message, _ kind: HostileKind, _ generator: inout SeededGenerator
    ) {
        let text = HostileText.bytes(kind, limit: 255, &generator)
        switch property {
        case .headers:
            // No headers at all, or a table with a wrong length.
            message.request.headers =
                kind == .missing ? [] : [([97], [UInt8(ascii: "S")] + BrokerFrame.big(UInt32.max) + text)]
            message.mayClose = kind != .missing
        case .deliveryMode, .priority: message.request.properties[property] = [[0, 3, 255].drawn(&generator)]
        case .timestamp:
            message.request.properties[property] = BrokerFrame.big([UInt64.max, 0, 1 << 63].drawn(&generator))
        default: message.request.properties[property] = BrokerFrame.short(text)
        }
        if kind == .missing { message.request.properties[property] = nil }
        switch property {
        case .correlationID: message.correlationID = kind == .missing ? message.correlationID : text
        // The broker refuses the name of another user and an invalid delivery mode.
        case .userID, .deliveryMode: message.mayClose = true
        case .expiration: (message.mayClose, message.maySilence) = (true, true)
        case .replyTo:
            // A request that succeeds and has no reply-to causes no message. The invalid version makes this one fail.
            message.request.set(header: Header.version, 2)
            message.maySilence = message.request.exchange == Exchange.consumers
        default: break
        }
    }
}
