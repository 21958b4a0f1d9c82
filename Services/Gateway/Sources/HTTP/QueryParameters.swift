/// The parameters of a URL's query, percent-decoded. Of a name that occurs twice the first counts.
struct QueryParameters: Sendable, Hashable {
    private let values: [String: String]

    /// Reads what stands after the `?`; what is not UTF-8 after decoding has its bytes replaced.
    init(_ query: some StringProtocol) {
        var values: [String: String] = [:]
        for part in query.split(separator: "&", omittingEmptySubsequences: true) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(pair[0])
            if values[name] == nil { values[name] = pair.count == 2 ? Self.decoded(pair[1]) : "" }
        }
        self.values = values
    }

    /// The value of a parameter; nil when it is absent.
    subscript(name: String) -> String? { values[name] }

    /// Percent escapes undone. A `+` stays one: whoever expects a space says so (web-services 4.3 on tokens).
    private static func decoded(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
