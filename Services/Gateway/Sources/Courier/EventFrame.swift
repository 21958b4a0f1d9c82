internal import AMQPClient
internal import NIOCore

/// The spelling of server-sent events (HTML standard, 9.2).
enum EventFrame {
    /// The longest `Last-Event-ID` that is looked at: ours have 36 characters.
    static let maxIDBytes = 255

    /// Opens a stream: after how many milliseconds a client comes back when the stream broke.
    static let opening = ByteBuffer(string: "retry: 1000\n\n")
    /// A sign of life, which is no event.
    static let heartbeat = ByteBuffer(string: ":\n\n")

    /// A notification: its `id`, by which repeats are known, and its JSON.
    static func event(_ delivery: AMQPDelivery) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(delivery.body.count + 64)
        if let id = delivery.properties.messageID, isSound(id) { buffer.writeString("id: \(id)\n") }
        // One line as we write it; whoever published another one is understood all the same.
        for line in delivery.body.split(omittingEmptySubsequences: false, whereSeparator: isLineEnd) {
            buffer.writeStaticString("data: ")
            buffer.writeBytes(line)
            buffer.writeStaticString("\n")
        }
        buffer.writeStaticString("\n")
        return buffer
    }

    private static func isSound(_ id: String) -> Bool {
        id.utf8.count <= maxIDBytes && !id.utf8.contains { isLineEnd($0) || $0 == 0 }
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
}
