/// An event of a stream of server-sent events.
struct ServerSentEvent: Hashable, Sendable {
    /// The ID from which the stream can be continued; empty if the server has sent none.
    var id: String
    /// The event's data.
    var data: String
}

/// Parses a stream of server-sent events (HTML standard, 9.2).
struct ServerSentEventParser: Sendable {
    /// The largest event, in bytes. A longer line ends the stream.
    static let maxBytes = 1 << 20

    private var line: [UInt8] = []
    private var id = ""
    private var data: String?
    private var followsReturn = false

    /// Whether a line was longer than ``maxBytes``, so that the stream must be closed.
    private(set) var isOverlong = false

    /// Takes bytes of the stream, and returns the events that they complete.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n") where followsReturn:
                followsReturn = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                followsReturn = byte == UInt8(ascii: "\r")
                if let event = endLine() { events.append(event) }
            default:
                followsReturn = false
                guard line.count < Self.maxBytes, data?.utf8.count ?? 0 < Self.maxBytes else {
                    isOverlong = true
                    return events
                }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        guard !text.isEmpty else {
            defer { data = nil }
            return data.map { ServerSentEvent(id: id, data: $0) }
        }
        // A line that begins with a colon is a comment.
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count < 2 ? "" : parts[1].first == " " ? String(parts[1].dropFirst()) : String(parts[1])
        switch parts[0] {
        case "id": id = value
        case "data": data = data.map { "\($0)\n\(value)" } ?? value
        default: break
        }
        return nil
    }
}
