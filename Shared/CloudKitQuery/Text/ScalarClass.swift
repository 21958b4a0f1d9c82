/// A class in a regular expression: the set of scalars that belong to its ranges and kinds, or the complement of this
/// set.
struct ScalarClass: Hashable, Sendable {
    /// A property that selects scalars.
    enum Kind: Hashable, Sendable {
        /// Scalars of these general categories.
        case categories([Unicode.GeneralCategory])
        /// White space (`\s`).
        case whiteSpace
        /// Parts of words (`\w`).
        case word
    }

    /// A kind, or its complement.
    struct Member: Hashable, Sendable {
        var kind: Kind
        var isNegated = false
    }

    /// The ranges of the class, sorted and disjoint.
    private let ranges: [ClosedRange<UInt32>]
    private let members: [Member]
    private let isNegated: Bool
    /// Whether each ASCII scalar is in the class, indexed by value. Speeds up look-ups, because most text is ASCII.
    private let ascii: [Bool]

    /// Creates the class of the scalars in `ranges` and `members`, or, if `isNegated` is true, of all other scalars.
    init(ranges: [ClosedRange<UInt32>] = [], members: [Member] = [], isNegated: Bool = false) {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound &+ 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
        self.members = members
        self.isNegated = isNegated
        ascii = (UInt8(0)..<0x80).map { byte in
            Self.contains(Unicode.Scalar(byte), ranges: merged, members: members) != isNegated
        }
    }

    /// The class that `.` matches: all scalars except line ends.
    static let notLineEnds = ScalarClass(ranges: [0xA...0xD, 0x85...0x85, 0x2028...0x2029], isNegated: true)

    /// Returns whether `scalar` is in the class.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return ascii[Int(scalar.value)] }
        return Self.contains(scalar, ranges: ranges, members: members) != isNegated
    }

    private static func contains(
        _ scalar: Unicode.Scalar, ranges: [ClosedRange<UInt32>], members: [Member]
    ) -> Bool {
        contains(scalar.value, ranges) || members.contains { $0.kind.contains(scalar) != $0.isNegated }
    }

    private static func contains(_ value: UInt32, _ ranges: [ClosedRange<UInt32>]) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(value)
    }
}

extension ScalarClass.Kind {
    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch self {
        case .categories(let categories): return categories.contains(properties.generalCategory)
        case .whiteSpace: return properties.isWhitespace
        case .word:
            switch properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: return true
            default: return properties.isAlphabetic || scalar == "\u{200C}" || scalar == "\u{200D}"
            }
        }
    }
}

extension ScalarClass {
    /// Returns the class for strings folded with `options`. That class also includes the folded forms of the scalars in
    /// this class's ranges.
    func folded(_ options: TextOptions) -> ScalarClass {
        guard let table = FoldingTable.table(options) else { return self }
        let changes = table.changes.filter { Self.contains($0.value, ranges) }
        return ScalarClass(
            ranges: ranges + changes.map { $0.folded...$0.folded },
            members: members.map { $0.folded(options) }, isNegated: isNegated)
    }
}

extension ScalarClass.Member {
    /// Returns the member for folded strings. If case is ignored, folded strings contain no capitals, so a category of
    /// cased letters matches all cased letters.
    fileprivate func folded(_ options: TextOptions) -> Self {
        let cased: [Unicode.GeneralCategory] = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
        guard options.contains(.caseInsensitive), case .categories(let categories) = kind,
            categories.contains(where: cased.contains)
        else { return self }
        return Self(kind: .categories(categories.filter { !cased.contains($0) } + cased), isNegated: isNegated)
    }
}
