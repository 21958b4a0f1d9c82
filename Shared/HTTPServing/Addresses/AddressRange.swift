package import ServiceRuntime

/// Addresses that begin with the same bits: `10.0.0.0/8`, `fd00::/8`, or one address alone.
package struct AddressRange: Hashable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// Reads an address, with or without a number of bits; nil for anything else.
    package init?(_ text: some StringProtocol) {
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
    package func contains(_ other: IPAddress) -> Bool {
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole).elementsEqual(other.bytes.prefix(whole)) else { return false }
        guard rest > 0 else { return true }
        return (address.bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
    }
}

extension SettingType where Value == [AddressRange] {
    /// Addresses and ranges of them with commas in between: `10.0.0.0/8, 2001:db8::1`.
    package static var addressRanges: Self {
        SettingType(
            "list", allowed: "addresses or CIDR ranges, with commas", text: { $0.isEmpty ? "none" : "\($0)" }
        ) { text throws(SettingRefusal) in
            var ranges: [AddressRange] = []
            for part in text.split(separator: ",") {
                let word = part.filter { $0 != " " }
                guard let range = AddressRange(word) else {
                    throw SettingRefusal("must be addresses or ranges such as 10.0.0.0/8, with commas in between")
                }
                ranges.append(range)
            }
            return ranges
        }
    }
}
