/// A set of scalars, as a class in a regular expression says it: ranges, kinds, or all but those.
struct ScalarClass: Hashable, Sendable {
    /// Scalars that are known by a property.
    enum Kind: Hashable, Sendable {
        /// Of these general categories.
        case categories([Unicode.GeneralCategory])
        /// White space (`\s`).
        case whiteSpace
        /// Parts of words (`\w`).
        case word
    }

    /// A kind, or whatever is not of it.
    struct Member: Hashable, Sendable {
        var kind: Kind
        var isNegated = false
    }

    /// In order and apart.
    private let ranges: [ClosedRange<UInt32>]
    private let members: [Member]
    private let isNegated: Bool
    /// The answers for ASCII, which most texts are, by value.
    private let ascii: [Bool]

    /// The scalars in `ranges` and of `members`; with `isNegated` all others.
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

    /// What `.` stands for: all but line ends.
    static let notLineEnds = ScalarClass(ranges: [0xA...0xD, 0x85...0x85, 0x2028...0x2029], isNegated: true)

    /// Whether `scalar` is in the class.
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
    /// The class for texts that are folded with `options`: with what its scalars are folded to, if that is one scalar.
    func folded(_ options: TextOptions) -> ScalarClass {
        guard let table = FoldingTable.table(options) else { return self }
        let changes = table.changes.filter { Self.contains($0.value, ranges) }
        return ScalarClass(
            ranges: ranges + changes.map { $0.folded...$0.folded },
            members: members.map { $0.folded(options) }, isNegated: isNegated)
    }
}

extension ScalarClass.Member {
    /// Folded texts have no capitals: who asks for capitals without regard to case asks for letters that have them.
    fileprivate func folded(_ options: TextOptions) -> Self {
        let cased: [Unicode.GeneralCategory] = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
        guard options.contains(.caseInsensitive), case .categories(let categories) = kind,
            categories.contains(where: cased.contains)
        else { return self }
        return Self(kind: .categories(categories.filter { !cased.contains($0) } + cased), isNegated: isNegated)
    }
}
