import Dispatch
import Foundation
import TestSupport

/// A connection to the broker that sends plain bytes. The answers to direct reply-to, or the messages of a queue,
/// arrive on it.
final class BrokerWire: Sendable {
    /// An event on a connection.
    enum Event: Sendable {
        /// A message has arrived.
        case message(BrokerDelivery)
        /// The broker has processed everything that was sent before ``barrier()``.
        case taken
        /// The waiting request was dead-lettered for this reason; see ``DeadLetterWatch``.
        case deadLettered(String)
        /// The broker closed the channel or the connection, with this code and text.
        case closed(String)
        /// The connection ended without a close method.
        case lost
    }

    /// All events in order. It must have only one reader at a time.
    let events: AsyncStream<Event>
    private let bell: AsyncStream<Event>.Continuation
    private let socket: RawSocket
    private let sending = DispatchQueue(label: "broker-wire-sending")

    private init(_ socket: RawSocket) {
        self.socket = socket
        (events, bell) = AsyncStream.makeStream(of: Event.self)
    }

    deinit { socket.shutDown() }

    /// Connects, opens channel 1 and consumes from `queue`, without acknowledgements.
    ///
    /// - Parameter maxFrame: The maximum size of a frame that the client asks for, in bytes.
    /// - Throws: ``TestFailure`` if the broker refuses.
    static func open(
        _ url: String, consuming queue: String = "amq.rabbitmq.reply-to", maxFrame: Int = BrokerFrame.maxBytes
    ) async throws -> BrokerWire {
        guard let parts = URLComponents(string: url), let port = parts.port else { throw TestFailure("no URL: \(url)") }
        let credentials = [0] + Array((parts.user ?? "").utf8) + [0] + Array((parts.password ?? "").utf8)
        let vhost = Array(parts.path.dropFirst().utf8)
        let wire = BrokerWire(try RawSocket(port: port))
        let opened = await wire.perform { wire.shakeHands(credentials, vhost, Array(queue.utf8), maxFrame) }
        guard opened else { throw TestFailure("the broker does not open a connection") }
        wire.listen()
        return wire
    }

    /// Sends bytes.
    ///
    /// - Returns: false if the broker accepts no more bytes.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool { await perform { [socket] in socket.send(bytes) } }

    /// Sends `basic.qos`, to which the broker replies after it has processed everything sent before.
    func barrier() async { await send(BrokerFrame.method(60, 10, [0, 0, 0, 0, 0, 0, 0])) }

    /// Adds an event that happened elsewhere.
    func note(_ event: Event) { bell.yield(event) }

    private func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in sending.async { continuation.resume(returning: work()) } }
    }

    private func shakeHands(_ credentials: [UInt8], _ vhost: [UInt8], _ queue: [UInt8], _ maxFrame: Int) -> Bool {
        func waits(for group: UInt16, _ id: UInt16) -> Bool {
            while let frame = Self.frame(from: socket) {
                if frame.isMethod(group, id) { return true }
                if frame.isMethod(10, 50) || frame.isMethod(20, 40) { return false }
            }
            return false
        }
        socket.send(BrokerFrame.protocolHeader)
        guard waits(for: 10, 10) else { return false }
        let start = BrokerFrame.long([]) + BrokerFrame.short(Array("PLAIN".utf8)) + BrokerFrame.long(credentials)
        socket.send(BrokerFrame.method(10, 11, channel: 0, start + BrokerFrame.short(Array("en_US".utf8))))
        guard waits(for: 10, 30) else { return false }
        let tune = BrokerFrame.big(UInt16(16)) + BrokerFrame.big(UInt32(maxFrame)) + [0, 0]
        socket.send(BrokerFrame.method(10, 31, channel: 0, tune))
        socket.send(BrokerFrame.method(10, 40, channel: 0, BrokerFrame.short(vhost) + [0, 0]))
        guard waits(for: 10, 41) else { return false }
        socket.send(BrokerFrame.method(20, 10, [0]))
        guard waits(for: 20, 11) else { return false }
        // Bit 1: no acknowledgements.
        socket.send(BrokerFrame.method(60, 20, [0, 0] + BrokerFrame.short(queue) + [0, 2] + BrokerFrame.long([])))
        return waits(for: 60, 21)
    }

    private func listen() {
        let (socket, bell) = (socket, bell)
        DispatchQueue(label: "broker-wire-receiving").async {
            var delivery: BrokerDelivery?
            while let frame = Self.frame(from: socket) {
                if frame.isMethod(60, 11) { bell.yield(.taken) }
                if frame.isMethod(20, 40) || frame.isMethod(10, 50) { bell.yield(.closed(frame.closingText)) }
                if frame.isMethod(60, 60) { delivery = BrokerDelivery(method: frame.payload) }
                if frame.type == 2 { delivery?.take(header: frame.payload) }
                if frame.type == 3 { delivery?.body += frame.payload }
                if let whole = delivery, whole.isWhole {
                    bell.yield(.message(whole))
                    delivery = nil
                }
            }
            bell.yield(.lost)
            bell.finish()
        }
    }

    private static func frame(from socket: RawSocket) -> ReceivedFrame? {
        guard let head = socket.receive(7) else { return nil }
        let size = head[3...6].reduce(0) { $0 << 8 | Int($1) }
        guard let rest = socket.receive(size + 1) else { return nil }
        return ReceivedFrame(type: head[0], payload: Array(rest.dropLast()))
    }
}

/// A frame that the broker sent.
private struct ReceivedFrame {
    let type: UInt8
    let payload: [UInt8]

    func isMethod(_ group: UInt16, _ id: UInt16) -> Bool {
        type == 1 && payload.starts(with: BrokerFrame.big(group) + BrokerFrame.big(id))
    }

    /// The code and text of a close method.
    var closingText: String {
        guard payload.count > 7 else { return "?" }
        let code = Int(payload[4]) << 8 | Int(payload[5])
        return "\(code) \(String(decoding: payload[7...].prefix(Int(payload[6])), as: UTF8.self))"
    }
}

/// A message as it arrived, with undecoded headers.
struct BrokerDelivery: Sendable {
    private(set) var correlationID: [UInt8]?
    private var headers: [UInt8] = []
    private var bodyBytes: Int?
    fileprivate(set) var body: [UInt8] = []

    fileprivate init(method: [UInt8]) {}

    /// Whether all frames of the body have arrived.
    fileprivate var isWhole: Bool { bodyBytes.map { body.count >= $0 } ?? false }

    fileprivate mutating func take(header payload: [UInt8]) {
        bodyBytes = payload[4..<12].reduce(0) { $0 << 8 | Int($1) }
        let flags = UInt16(payload[12]) << 8 | UInt16(payload[13])
        var rest = payload[14...]
        for bit in stride(from: UInt16(15), through: 10, by: -1) where flags & (1 << bit) != 0 {
            switch bit {
            case 13:
                let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                headers = Array(rest.dropFirst(4).prefix(count))
                rest = rest.dropFirst(4 + count)
            case 11, 12: rest = rest.dropFirst()
            default:
                let text = Array(rest.dropFirst().prefix(Int(rest.first ?? 0)))
                if bit == 10 { correlationID = text }
                rest = rest.dropFirst(1 + text.count)
            }
        }
    }

    /// Returns the value of a header that our services or the tests write, which is a text or a number of eight bytes.
    func header(_ name: String) -> String? {
        guard let range = headers.firstRange(of: BrokerFrame.short(Array(name.utf8))) else { return nil }
        let value = headers[range.upperBound...]
        switch value.first {
        case UInt8(ascii: "S"):
            let count = value.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
            return String(decoding: value.dropFirst(5).prefix(count), as: UTF8.self)
        case UInt8(ascii: "l"), UInt8(ascii: "I"):
            let count = value.first == UInt8(ascii: "l") ? 8 : 4
            return String(value.dropFirst().prefix(count).reduce(0) { $0 << 8 | Int($1) })
        default: return nil
        }
    }
}
