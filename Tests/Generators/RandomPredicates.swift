package import CloudKitModel
package import CloudKitQuery

/// Predicates of every construct over a few fields, each with tests that fit its kind, from a seed.
package struct RandomPredicates {
    package var generator: SeededGenerator
    private let vocabulary: Vocabulary

    /// From what values are taken.
    package enum Vocabulary: Sendable {
        /// Whatever can be written.
        case any
        /// So few that records made of them meet.
        case small
    }

    package init(seed: Int, vocabulary: Vocabulary = .any) {
        generator = SeededGenerator(seed: UInt64(seed))
        self.vocabulary = vocabulary
    }

    package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    /// A predicate of at most `depth` levels of AND, OR and NOT; not flattened.
    package mutating func predicate(depth: Int) -> Predicate {
        switch below(depth > 0 ? 5 : 2) {
        case 2: .and(parts(depth: depth - 1))
        case 3: .or(parts(depth: depth - 1))
        case 4: .not(predicate(depth: depth - 1))
        default: .comparison(comparison())
        }
    }

    private mutating func parts(depth: Int) -> [Predicate] { (0..<below(4)).map { _ in predicate(depth: depth) } }

    package mutating func comparison() -> Comparison {
        switch below(13) {
        case 0...2: ofText(QueryKey.field(pick(["title", "note"])))
        case 3: ordered(.field("n"))
        case 4: ordered(.field("x"))
        case 5: ordered(pick([.field("at"), .system(.createdTimestamp), .system(.modifiedTimestamp)]))
        case 6...7: ofList(.field("tags"))
        case 8: ofList(.field("scores"))
        case 9:
            ofReference(
                pick([
                    .field("other"), .system(.recordName), .system(.createdUserRecordName),
                    .system(.modifiedUserRecordName), .system(.parent),
                ]))
        case 10: ofPlace(.field("place"))
        case 11:
            Comparison(
                pick([.allTokens, .field("title"), .field("note")]), .value, .tokens(text(), pick([.all, .any])))
        default:
            Comparison(.field(pick(["title", "n", "x", "at", "tags", "scores", "other", "place"])), .value, .exists)
        }
    }

    /// A value of the kind that `key`, or an element of it, has.
    package mutating func value(of key: QueryKey) -> FieldValue {
        switch key {
        case .field("n"), .field("scores"): .int64(int64())
        case .field("x"): .double(double())
        case .field("at"), .system(.createdTimestamp), .system(.modifiedTimestamp): .timestamp(int64())
        case .field("other"), .system: .reference(reference())
        case .field("place"): .location(place())
        default: .string(text())
        }
    }
}

extension RandomPredicates {
    private mutating func ofText(_ key: QueryKey, _ quantifier: Quantifier = .value) -> Comparison {
        let test: Test =
            switch below(6) {
            case 0: .relation(pick([.equal, .notEqual]), .string(text()), options())
            case 1: .text(pick(TextOperator.allCases), text(), options())
            case 2: .contains(.string(text()), options())
            case 3: .oneOf(values(of: key), options())
            default: ordering(key)
            }
        return Comparison(key, quantifier, test)
    }

    private mutating func ordered(_ key: QueryKey) -> Comparison { Comparison(key, .value, ordering(key)) }

    private mutating func ordering(_ key: QueryKey) -> Test {
        switch below(4) {
        case 0: .between(value(of: key), value(of: key))
        case 1: .oneOf(values(of: key))
        default: .relation(pick(Relation.allCases), value(of: key))
        }
    }

    private mutating func ofList(_ key: QueryKey) -> Comparison {
        switch below(4) {
        case 0: Comparison(key, .value, .contains(value(of: key)))
        case 1: Comparison(key, .value, .containsAll(values(of: key)))
        case 2 where key == .field("tags"): ofText(key, .any)
        default: Comparison(key, .any, ordering(key))
        }
    }

    private mutating func ofReference(_ key: QueryKey) -> Comparison {
        let isRelation = below(2) == 0
        let test: Test =
            isRelation ? .relation(pick([.equal, .notEqual]), value(of: key)) : .oneOf(values(of: key))
        return Comparison(key, .value, test)
    }

    private mutating func ofPlace(_ key: QueryKey) -> Comparison {
        let relation = pick([Relation.less, .lessOrEqual, .greater, .greaterOrEqual])
        return Comparison(
            key, .value,
            .distance(
                relation, place(),
                metres: vocabulary == .any ? abs(double()) : pick([0, 50_000, 78_700, 111_200, 1e6, 3e7])))
    }
}

extension RandomPredicates {
    package mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }

    private mutating func values(of key: QueryKey) -> [FieldValue] { (0..<below(4)).map { _ in value(of: key) } }

    private mutating func options() -> TextOptions { TextOptions(rawValue: UInt8(below(4))) }

    private static let texts = [
        "", "a", "Bob Smith", "it's", "\"", "\\", "\\u0041", "%@", "AND", "ALL", "größe", "e\u{301}", "\u{301}", "🦊",
        "\n\t\r",
        "\u{8}\u{C}\u{1B}\u{7F}\u{85}", "\u{2028}", "\r\n", "{1, 2}", "$x", "*.?",
    ]

    /// Whose parts meet with and without case and accents.
    private static let words = [
        "ab", "Ab", "ÄB", "ab\u{308}", "cd", "CD", "e", "ς", "ΣΑ", "100%", "a_b", "the", "x.y", "日本",
    ]

    private static let patterns = ["a*", "*b", "?b*", "*c?*", ".*b.*", "[a-c]+", "(ab|cd) .*", "\\w+", "*%*"]

    package mutating func text() -> String {
        guard vocabulary == .any else {
            if below(6) == 0 { return pick(Self.patterns) }
            return (0..<below(3)).map { _ in pick(Self.words) }.joined(separator: " ")
        }
        return (0..<below(3)).map { _ in pick(Self.texts) }.joined()
    }

    package mutating func int64() -> Int64 {
        guard vocabulary == .any else { return pick([0, 1, 2, 3, 4, .max, .min, 9_007_199_254_740_993]) }
        return switch below(4) {
        case 0: pick([.min, .max, 0, -1, 978_307_200_000])
        case 1: Int64.random(in: .min ... .max, using: &generator)
        default: Int64(below(2_000)) - 1_000
        }
    }

    package mutating func double() -> Double {
        guard vocabulary == .any else {
            return pick([0, 0.5, 1, 2, 0.1, 9_007_199_254_740_992, 1e23, 1e-7, 1_000_000])
        }
        return switch below(4) {
        case 0:
            pick([0, -0.0, 5, 1e23, 0.1, .leastNonzeroMagnitude, 1.7976931348623157e308, -9_007_199_254_740_992, 1e16])
        case 1:
            // Any finite number.
            Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &generator))
        default: Double(below(20_000) - 10_000) / 8
        }
    }

    private mutating func reference() -> Reference {
        guard vocabulary == .any else {
            let zone = pick([nil, nil, "Z", "Y"]).map { ZoneID(zoneName: ZoneName(unchecked: $0)) }
            return Reference(recordName: pick(["r0", "r1", "r2", "r3"]), zoneID: zone)
        }
        let name: RecordName = pick(["alice", "_0123", "it's", "größe 🦊"])
        guard below(2) == 0 else { return Reference(recordName: name) }
        let owner: UserName? = below(2) == 0 ? nil : UserName(unchecked: "_0123456789abcdef0123456789abcdef")
        return Reference(recordName: name, zoneID: ZoneID(zoneName: ZoneName(unchecked: "z 1"), ownerRecordName: owner))
    }

    private mutating func place() -> Location {
        guard vocabulary == .any else {
            return Location(latitude: Double(below(5)) / 2, longitude: Double(below(5)) / 2)
        }
        return Location(latitude: Double(below(1_801) - 900) / 10, longitude: Double(below(3_601) - 1_800) / 10)
    }
}
