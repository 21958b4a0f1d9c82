package import AMQPClient

/// The `traceparent` header of W3C Trace Context, which identifies a message's parent span and the trace to which the
/// message belongs.
///
/// The value is copied unchanged. Services do not create spans, so the messages that a service sends have the same
/// parent span as the message that caused them.
package struct TraceParent: Sendable, Hashable, CustomStringConvertible {
    /// `00-<32 hexadecimal digits>-<16>-<2>`, all in lower case.
    package let description: String

    /// Parses the value of the header; returns nil unless it is well formed, with version 00 and a trace and parent
    /// that are not zero.
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

    /// Parses `traceparent` from a message's headers; returns nil if it is missing or malformed.
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
    /// Sets `traceparent`, or leaves the table unchanged if `trace` is nil.
    package mutating func set(_ trace: TraceParent?) {
        if let trace { self[Header.trace] = .string(trace.description) }
    }
}
