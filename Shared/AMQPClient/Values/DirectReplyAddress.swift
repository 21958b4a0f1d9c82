/// An address that the broker substitutes for `amq.rabbitmq.reply-to`. It identifies the caller's channel, not a queue.
///
/// The prefix is followed by two base64 words, separated by a dot: an Erlang process id, whose node name is `reply@`
/// followed by a number for the node, and a key of 16 bytes. RabbitMQ 3.10 and 4 use the same format. RabbitMQ 3.10
/// decodes an address without validation: if the address is malformed, or its node is not in the cluster, the broker
/// closes the connection that publishes to the address.
package struct DirectReplyAddress: Sendable, Hashable {
    /// One run of a node. A restarted node has a different creation.
    struct Node: Sendable, Hashable {
        /// A hash of the node's name.
        var number: UInt32
        /// The number that identifies this run of the node.
        var creation: UInt32
    }

    /// The prefix of every such address.
    package static let prefix = "amq.rabbitmq.reply-to."

    /// The first word, which identifies the caller's channel.
    let channel: String
    /// The node of that channel.
    let node: Node

    /// Parses an address. Returns nil if the broker could not have generated the address.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let words = text.utf8.dropFirst(Self.prefix.utf8.count)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard words.count == 2, let key = Base64.decoded(words[1]), key.count == 16,
            let process = Base64.decoded(words[0]), let node = Self.node(of: process)
        else { return nil }
        channel = String(Substring(words[0]))
        self.node = node
    }

    /// Returns the word that identifies the channel in an address, without validating the word's format.
    static func channel(of text: String) -> Substring? {
        guard text.hasPrefix(prefix) else { return nil }
        return Substring(text.utf8.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: ".") })
    }

    /// Parses a process id in Erlang's external term format: 131, NEW_PID_EXT, a UTF-8 atom (small or not), id, serial
    /// and creation.
    private static func node(of process: [UInt8]) -> Node? {
        guard process.starts(with: [131, 88]), process.count > 5 else { return nil }
        let start: Int
        let length: Int
        switch process[2] {
        case 118: (start, length) = (5, Int(process[3]) << 8 | Int(process[4]))
        case 119: (start, length) = (4, Int(process[3]))
        default: return nil
        }
        guard process.count == start + length + 12 else { return nil }
        let name = process[start..<start + length]
        let digits = name.dropFirst("reply@".utf8.count)
        guard name.starts(with: "reply@".utf8), (1...10).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0"),
            let number = UInt32(String(decoding: digits, as: UTF8.self))
        else { return nil }
        return Node(number: number, creation: process.suffix(4).reduce(0) { $0 << 8 | UInt32($1) })
    }
}

/// Base64 as Erlang encodes it: padded, without line breaks.
private enum Base64 {
    /// Decodes base64 text. Returns nil if an encoder would have written the text differently.
    static func decoded(_ text: Substring.UTF8View) -> [UInt8]? {
        guard !text.isEmpty, text.count.isMultiple(of: 4) else { return nil }
        let digits = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.count - digits.count
        guard padding <= 2, text.suffix(padding).allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (bits, bitCount): (UInt32, Int) = (0, 0)
        for character in digits {
            guard let digit = value(of: character) else { return nil }
            (bits, bitCount) = (bits << 6 | digit, bitCount + 6)
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
                bits &= (1 << UInt32(bitCount)) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
