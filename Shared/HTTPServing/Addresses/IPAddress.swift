internal import Glibc

/// An IP address. An IPv4 address is stored as its IPv4-mapped IPv6 address, so that both forms compare equal.
package struct IPAddress: Hashable, Sendable {
    /// The 16 bytes of the address, in network order.
    package let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Parses an address such as `192.0.2.1` or `2001:db8::1`; nil for any other text.
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

    /// Whether the address is an IPv4 address.
    package var isIPv4: Bool { bytes.starts(with: Self.mappedPrefix) }

    /// The network of one customer: the IPv4 address itself, or the first 64 bits of an IPv6 address, because one
    /// customer can use all addresses that begin with these bits.
    package var network: IPAddress {
        isIPv4 ? self : IPAddress(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
    }
}
