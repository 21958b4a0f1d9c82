internal import AMQPClient
internal import NIOCore

/// Encodes server-sent events (HTML standard, 9.2).
enum EventFrame {
    /// The maximum length of a `Last-Event-ID`, in bytes. The gateway's own ids are 36 bytes long.
    static let maxIDBytes = 255

    /// The beginning of a stream. It sets the delay, in milliseconds, after which a client reconnects when the stream
    /// breaks.
    static let opening = ByteBuffer(string: "retry: 1000\n\n")
    /// A comment that keeps the connection alive.
    static let heartbeat = ByteBuffer(string: ":\n\n")

    /// Encodes a notification: its `id`, by which clients recognize repeats, and its JSON.
    static func event(_ delivery: AMQPDelivery) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(delivery.body.count + 64)
        if let id = delivery.properties.messageID, isValid(id) { buffer.writeString("id: \(id)\n") }
        // The services write JSON on one line, but another publisher might have written several lines.
        for line in delivery.body.split(omittingEmptySubsequences: false, whereSeparator: isLineEnd) {
            buffer.writeStaticString("data: ")
            buffer.writeBytes(line)
            buffer.writeStaticString("\n")
        }
        buffer.writeStaticString("\n")
        return buffer
    }

    private static func isValid(_ id: String) -> Bool {
        id.utf8.count <= maxIDBytes && !id.utf8.contains { isLineEnd($0) || $0 == 0 }
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
}
