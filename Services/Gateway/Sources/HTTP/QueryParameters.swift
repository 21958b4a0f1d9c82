/// The parameters of a URL's query, percent-decoded. Of a name that occurs twice the first counts.
struct QueryParameters: Sendable, Hashable {
    private let values: [String: String]

    /// Reads what stands after the `?`; what is not UTF-8 after decoding has its bytes replaced.
    init(_ query: some StringProtocol) {
        var values: [String: String] = [:]
        for part in query.split(separator: "&", omittingEmptySubsequences: true) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentEncoding.decoded(pair[0])
            if values[name] == nil { values[name] = pair.count == 2 ? PercentEncoding.decoded(pair[1]) : "" }
        }
        self.values = values
    }

    /// The value of a parameter; nil when it is absent.
    subscript(name: String) -> String? { values[name] }
}
