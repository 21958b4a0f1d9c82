import CloudKitQuery
import TestGenerators
import Testing

/// Random patterns, compared with a matcher that tries all possibilities.
struct RegularExpressionRandomTests {
    @Test(arguments: UInt64(10)..<14)
    func patternsMatchWhatTheyMean(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var matched = 0
        for _ in 0..<2_500 {
            let meaning = Meaning.random(depth: 3, &random)
            let expression = try RegularExpression(meaning.pattern, options: [])
            for _ in 0..<4 {
                let text = random.text(of: "aaabbc\n🦊", atMost: 6)
                let expected = meaning.ends(in: Array(text.unicodeScalars), from: 0).contains(text.unicodeScalars.count)
                #expect(expression.matchesWhole(text) == expected, "\(meaning.pattern) \(text)")
                guard expected else { continue }
                matched += 1
                if let literal = expression.requiredLiteral { #expect(text.contains(literal), "\(meaning.pattern)") }
            }
        }
        #expect(matched > 500)
    }
}

/// The meaning of a pattern.
private indirect enum Meaning {
    case scalar(Unicode.Scalar)
    case oneOf(String, negated: Bool)
    case anyScalar
    case start
    case end
    case sequence([Meaning])
    case either([Meaning])
    case repeated(Meaning, Int, Int?, lazy: Bool)

    static func random(depth: Int, _ random: inout SeededGenerator) -> Meaning {
        let kinds = depth == 0 ? 7 : 14
        switch Int.random(in: 0..<kinds, using: &random) {
        case 0...2: return .scalar(["a", "b", "🦊"].randomElement(using: &random) ?? "a")
        case 3:
            let scalars = ["ab", "b", "a🦊\n"].randomElement(using: &random) ?? "a"
            return .oneOf(scalars, negated: random.next() % 2 == 0)
        case 4: return .anyScalar
        case 5: return random.next() % 2 == 0 ? .start : .end
        case 6: return .sequence([])
        case 7...9: return .sequence(list(depth, &random))
        case 10: return .either(list(depth, &random) + [.scalar("c")])
        default:
            let least = Int.random(in: 0...2, using: &random)
            let most = random.next() % 2 == 0 ? nil : least + Int.random(in: 0...2, using: &random)
            return .repeated(Self.random(depth: depth - 1, &random), least, most, lazy: random.next() % 4 == 0)
        }
    }

    private static func list(_ depth: Int, _ random: inout SeededGenerator) -> [Meaning] {
        var list: [Meaning] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) { list.append(Self.random(depth: depth - 1, &random)) }
        return list
    }

    /// The pattern as text.
    var pattern: String {
        switch self {
        case .scalar(let scalar): String(scalar)
        case .oneOf(let scalars, let negated): "[\(negated ? "^" : "")\(scalars)]"
        case .anyScalar: "."
        case .start: "^"
        case .end: "$"
        case .sequence(let items): items.map(\.pattern).joined()
        case .either(let items): "(" + items.map(\.pattern).joined(separator: "|") + ")"
        case .repeated(let item, let least, let most, let lazy):
            "(?:\(item.pattern))" + Self.quantifier(least, most) + (lazy ? "?" : "")
        }
    }

    private static func quantifier(_ least: Int, _ most: Int?) -> String {
        switch (least, most) {
        case (0, nil): "*"
        case (1, nil): "+"
        case (0, 1): "?"
        case (_, nil): "{\(least),}"
        case (_, let most?): least == most ? "{\(least)}" : "{\(least),\(most)}"
        }
    }

    /// Returns the indices at which a match that begins at `index` can end.
    func ends(in text: [Unicode.Scalar], from index: Int) -> Set<Int> {
        let next = index < text.count ? text[index] : nil
        switch self {
        case .scalar(let scalar): return next == scalar ? [index + 1] : []
        case .oneOf(let scalars, let negated):
            guard let next else { return [] }
            return scalars.unicodeScalars.contains(next) != negated ? [index + 1] : []
        case .anyScalar: return next == nil || next == "\n" ? [] : [index + 1]
        case .start: return index == 0 ? [index] : []
        case .end: return index == text.count ? [index] : []
        case .sequence(let items):
            return items.reduce([index]) { ends, item in Self.union(of: ends) { item.ends(in: text, from: $0) } }
        case .either(let items): return Self.union(of: items) { $0.ends(in: text, from: index) }
        case .repeated(let item, let least, let most, _):
            var ends: Set<Int> = [index]
            for _ in 0..<least { ends = Self.union(of: ends) { item.ends(in: text, from: $0) } }
            var all = ends
            // More rounds than scalars have no effect.
            for _ in 0..<((most ?? least + text.count + 1) - least) {
                ends = Self.union(of: ends) { item.ends(in: text, from: $0) }
                all.formUnion(ends)
            }
            return all
        }
    }

    private static func union<Items: Sequence>(of items: Items, _ ends: (Items.Element) -> Set<Int>) -> Set<Int> {
        items.reduce(into: []) { $0.formUnion(ends($1)) }
    }
}
