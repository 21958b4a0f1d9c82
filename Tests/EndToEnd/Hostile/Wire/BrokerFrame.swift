/// Frames, methods and values of AMQP 0-9-1 as bytes. They are not written by a client library, because it would write
/// no invalid ones.
enum BrokerFrame {
    static let protocolHeader = Array("AMQP".utf8) + [0, 0, 9, 1]
    /// The maximum frame size that the broker is configured with, in bytes.
    static let maxBytes = 16_384
    private static let end: UInt8 = 0xCE

    /// Returns a frame of a type (1 method, 2 header, 3 body, 8 heartbeat).
    static func frame(_ type: UInt8, channel: UInt16 = 1, _ payload: [UInt8]) -> [UInt8] {
        [type] + big(channel) + big(UInt32(payload.count)) + payload + [end]
    }

    /// Returns the frame of a method.
    static func method(_ group: UInt16, _ id: UInt16, channel: UInt16 = 1, _ arguments: [UInt8] = []) -> [UInt8] {
        frame(1, channel: channel, big(group) + big(id) + arguments)
    }

    /// Returns the frame of `basic.publish`.
    static func publish(exchange: String, routingKey: [UInt8]) -> [UInt8] {
        method(60, 40, [0, 0] + short(Array(exchange.utf8)) + short(routingKey) + [0])
    }

    /// Returns a header frame. `properties` are the flags and the properties that they announce.
    static func header(bodyBytes: UInt64, properties: [UInt8]) -> [UInt8] {
        frame(2, big(UInt16(60)) + [0, 0] + big(bodyBytes) + properties)
    }

    /// Returns the frames of a body.
    static func body(_ bytes: [UInt8]) -> [UInt8] {
        let room = maxBytes - 8
        return stride(from: 0, to: bytes.count, by: room).flatMap {
            frame(3, Array(bytes[$0..<min(bytes.count, $0 + room)]))
        }
    }

    /// Returns a short string. Excess bytes are cut off.
    static func short(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = bytes.prefix(255)
        return [UInt8(bytes.count)] + bytes
    }

    /// Returns a long string, table or array, preceded by its length.
    static func long(_ bytes: [UInt8]) -> [UInt8] { big(UInt32(bytes.count)) + bytes }

    static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
