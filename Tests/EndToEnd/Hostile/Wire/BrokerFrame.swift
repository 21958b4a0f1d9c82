/// Frames, methods and values of AMQP 0-9-1 as bytes, written here and not by a client, which would write none that are
/// wrong.
enum BrokerFrame {
    static let protocolHeader = Array("AMQP".utf8) + [0, 0, 9, 1]
    /// What RabbitMQ allows.
    static let maxBytes = 131_072
    private static let end: UInt8 = 0xCE

    /// A frame of a type (1 method, 2 header, 3 body, 8 heartbeat).
    static func frame(_ type: UInt8, channel: UInt16 = 1, _ payload: [UInt8]) -> [UInt8] {
        [type] + big(channel) + big(UInt32(payload.count)) + payload + [end]
    }

    /// A method's frame.
    static func method(_ group: UInt16, _ id: UInt16, channel: UInt16 = 1, _ arguments: [UInt8] = []) -> [UInt8] {
        frame(1, channel: channel, big(group) + big(id) + arguments)
    }

    /// `basic.publish`.
    static func publish(exchange: String, routingKey: [UInt8]) -> [UInt8] {
        method(60, 40, [0, 0] + short(Array(exchange.utf8)) + short(routingKey) + [0])
    }

    /// A header frame; `properties` are the flags and what they announce.
    static func header(bodyBytes: UInt64, properties: [UInt8]) -> [UInt8] {
        frame(2, big(UInt16(60)) + [0, 0] + big(bodyBytes) + properties)
    }

    /// The frames of a body.
    static func body(_ bytes: [UInt8]) -> [UInt8] {
        let room = maxBytes - 8
        return stride(from: 0, to: bytes.count, by: room).flatMap {
            frame(3, Array(bytes[$0..<min(bytes.count, $0 + room)]))
        }
    }

    /// A short string, of which a byte too many is cut off.
    static func short(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = bytes.prefix(255)
        return [UInt8(bytes.count)] + bytes
    }

    /// A long string, table or array: its length before it.
    static func long(_ bytes: [UInt8]) -> [UInt8] { big(UInt32(bytes.count)) + bytes }

    static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
