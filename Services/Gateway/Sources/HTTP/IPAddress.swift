internal import Glibc

/// An address of the internet protocol; an IPv4 address is the IPv6 one that maps it, so that both spellings are one.
struct IPAddress: Hashable, Sendable {
    /// 16, in network order.
    let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Reads `192.0.2.1` or `2001:db8::1`; nil for anything else.
    init?(_ text: some StringProtocol) {
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

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether it is an IPv4 address.
    var isIPv4: Bool { bytes.starts(with: Self.mappedPrefix) }

    /// What one customer has: an IPv4 address, or the first 64 bits of an IPv6 one, within which anybody has as many
    /// addresses as they like.
    var network: IPAddress {
        isIPv4 ? self : IPAddress(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
    }
}

/// Addresses that begin with the same bits: `10.0.0.0/8`, `fd00::/8`, or one address alone.
struct AddressRange: Hashable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// Reads an address, with or without a number of bits; nil for anything else.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        self.address = address
        guard parts.count == 2 else {
            bits = 128
            return
        }
        let most = address.isIPv4 ? 32 : 128
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(parts[1]), count <= most else {
            return nil
        }
        bits = count + 128 - most
    }

    /// Whether an address is one of them.
    func contains(_ other: IPAddress) -> Bool {
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole).elementsEqual(other.bytes.prefix(whole)) else { return false }
        guard rest > 0 else { return true }
        return (address.bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
    }
}
