import CloudKitModel
import CloudKitQuery
import TestGenerators
import Testing

struct FormatRoundTripTests {
    @Test(arguments: 0..<200) func whatIsPrintedIsReadToTheSameTree(seed: Int) throws {
        var random = RandomPredicates(seed: seed)
        for depth in 0..<8 {
            let tree = random.predicate(depth: depth)
            let format = tree.format
            let again = try Predicate(format: format, now: 0)
            #expect(again == tree.flattened, "\(format)")
            #expect(again.format == format)
        }
    }

    /// Checks that a format is either parsed or refused with an error inside it, and that a parsed format prints to one
    /// that is parsed to the same tree.
    private func read(_ format: String) throws {
        let tree: Predicate
        do {
            tree = try Predicate(format: format, [.value(.int64(1)), .keyPath("f"), .null], now: 0)
        } catch {
            #expect((1...format.count + 1).contains(error.column), "\(error) in \(format)")
            #expect(error.message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            return
        }
        #expect(try Predicate(format: tree.format, now: 0) == tree, "\(format)")
    }

    private static let pieces = [
        "f", "allTokens", "self", "recordID", "#and", "==", "!=", "<", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH",
        "MATCHES",
        "TOKENMATCHES", "[cd]", "[cdl]", "ANY", "ALL", "NONE", "NOT", "AND", "OR", "(", ")", "{", "}", ",", "1", "-2.5",
        "'a'", "{1, 2}", "{'a'}", "nil", "now()", "CAST(1, 'NSDate')", "reference('r')", "location(1, 2)",
        "tokenize('a', 'Cdl')",
        "distanceToLocation:fromLocation:", "(f, location(1, 2))", "TRUEPREDICATE", "%@", "%K", "%d", ".", "@", "$",
        "\\", "'",
    ]

    @Test(arguments: 0..<50) func anyPiecesAreReadOrRefused(seed: Int) throws {
        var random = RandomPredicates(seed: seed)
        for _ in 0..<100 {
            try read((0..<random.below(12)).map { _ in random.pick(Self.pieces) }.joined(separator: " "))
        }
    }

    @Test(arguments: 0..<100) func damagedFormatsAreReadOrRefused(seed: Int) throws {
        var random = RandomPredicates(seed: seed)
        for _ in 0..<20 {
            var format = Array(random.predicate(depth: 3).format.utf8)
            random.damage(&format)
            try read(String(decoding: format, as: UTF8.self))
        }
    }
}

extension RandomPredicates {
    /// Removes, overwrites, doubles or inserts bytes.
    fileprivate mutating func damage(_ text: inout [UInt8]) {
        for _ in 0...below(3) where !text.isEmpty {
            let index = below(text.count)
            switch below(5) {
            case 0: text.removeSubrange(index...)
            case 1: text[index] = UInt8(below(256))
            case 2: text[index] = pick(Array("(){}[]'\"\\#%@$,.:-+!=<>&| \n0e".utf8))
            case 3: text.insert(contentsOf: text[index..<min(index + 30, text.count)], at: index)
            default: text.removeSubrange(index..<min(index + 1 + below(20), text.count))
            }
        }
    }
}
