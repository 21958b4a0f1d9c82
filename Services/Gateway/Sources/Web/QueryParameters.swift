/// The parameters of a URL's query, percent-decoded. If a name occurs twice, the first parameter is used.
struct QueryParameters: Sendable, Hashable {
    private let values: [String: String]

    /// Parses a query without its `?`. Bytes that are not UTF-8 after decoding are replaced.
    init(_ query: some StringProtocol) {
        var values: [String: String] = [:]
        // Splits by bytes, because a separator can be the first code point of a longer character.
        for part in Substring(query).utf8.split(separator: UInt8(ascii: "&")) {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentEncoding.decoded(Substring(pair[0]))
            if values[name] == nil { values[name] = pair.count == 2 ? PercentEncoding.decoded(Substring(pair[1])) : "" }
        }
        self.values = values
    }

    /// The value of a parameter; nil if it is absent.
    subscript(name: String) -> String? { values[name] }
}
