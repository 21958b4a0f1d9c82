internal import Glibc

/// An address of the internet protocol; an IPv4 address is the IPv6 one that maps it, so that both spellings are one.
package struct IPAddress: Hashable, Sendable {
    /// 16, in network order.
    package let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Reads `192.0.2.1` or `2001:db8::1`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = Self.mappedPrefix + four
            return
        }
        var sixteen = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        bytes = sixteen
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether it is an IPv4 address.
    package var isIPv4: Bool { bytes.starts(with: Self.mappedPrefix) }

    /// What one customer has: an IPv4 address, or the first 64 bits of an IPv6 one, within which anybody has as many
    /// addresses as they like.
    package var network: IPAddress {
        isIPv4 ? self : IPAddress(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
    }
}
