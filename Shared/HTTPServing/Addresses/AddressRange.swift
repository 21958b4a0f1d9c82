package import ServiceRuntime

/// A range of IP addresses in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`, or a single address.
package struct AddressRange: Hashable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// Parses an address with an optional prefix length; returns nil for any other text.
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

    /// Returns whether the range contains an address.
    package func contains(_ other: IPAddress) -> Bool {
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole).elementsEqual(other.bytes.prefix(whole)) else { return false }
        guard rest > 0 else { return true }
        return (address.bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
    }
}

extension SettingType where Value == [AddressRange] {
    /// A setting type for a list of addresses and ranges, separated by commas: `10.0.0.0/8, 2001:db8::1`.
    package static var addressRanges: Self {
        SettingType(
            "list", allowed: "addresses or CIDR ranges, separated by commas", text: { $0.isEmpty ? "none" : "\($0)" }
        ) { text throws(SettingRefusal) in
            var ranges: [AddressRange] = []
            for part in text.split(separator: ",") {
                let word = part.filter { $0 != " " }
                guard let range = AddressRange(word) else {
                    throw SettingRefusal("must be addresses or ranges such as 10.0.0.0/8, separated by commas")
                }
                ranges.append(range)
            }
            return ranges
        }
    }
}
