package import AMQPClient

/// The header `traceparent` of W3C Trace Context: the trace to which a message belongs and its parent span.
///
/// The value is passed on unchanged. The services create no spans of their own, so the messages that a service sends
/// have the same parent as the message that caused them.
package struct TraceParent: Sendable, Hashable, CustomStringConvertible {
    /// `00-<32 hexadecimal digits>-<16>-<2>`, all in lower case.
    package let description: String

    /// Parses a header's value; nil unless it is well formed: version 00, with a non-zero trace and a non-zero parent.
    package init?(_ value: some StringProtocol) {
        let bytes = Array(value.utf8)
        guard bytes.count == 55, value.hasPrefix("00-"), bytes[35] == Self.dash, bytes[52] == Self.dash else {
            return nil
        }
        let (trace, parent, flags) = (bytes[3..<35], bytes[36..<52], bytes[53..<55])
        guard [trace, parent, flags].allSatisfy({ $0.allSatisfy(Self.isHexadecimal) }),
            [trace, parent].allSatisfy({ $0.contains { $0 != Self.zero } })
        else { return nil }
        description = String(value)
    }

    /// Parses the trace among a message's headers; nil if it is missing or malformed.
    package init?(_ headers: AMQPTable) {
        guard let value = headers.string(Header.trace) else { return nil }
        self.init(value)
    }

    private static let dash = UInt8(ascii: "-")
    private static let zero = UInt8(ascii: "0")

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

extension AMQPTable {
    /// Sets `traceparent`; leaves the table unchanged when `trace` is nil.
    package mutating func set(_ trace: TraceParent?) {
        if let trace { self[Header.trace] = .string(trace.description) }
    }
}
