import Foundation
import Testing

@testable import CloudKit

/// Predicates print as Foundation prints them.
@Suite struct PredicateFormatTests {
    @Test(arguments: [
        ("title == 'milk'", "title == \"milk\""),
        ("title = \"milk\"", "title == \"milk\""),
        ("n<>5", "n != 5"),
        ("n =< 2.5", "n <= 2.5"),
        ("5 < n", "5 < n"),
        ("title beginswith 'M' and n > 5", "title BEGINSWITH \"M\" AND n > 5"),
        ("title BEGINSWITH[c] 'M' && n > 5 && n < 9", "title BEGINSWITH[c] \"M\" AND n > 5 AND n < 9"),
        ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
        ("(a == 1 OR b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3"),
        ("NOT a == 1", "NOT a == 1"),
        ("!(a == 1 OR b == 2)", "NOT (a == 1 OR b == 2)"),
        ("NOT (a IN {1, 2})", "NOT a IN {1, 2}"),
        ("done == YES", "done == 1"),
        ("tags CONTAINS 'home'", "tags CONTAINS \"home\""),
        ("'home' IN tags", "\"home\" IN tags"),
        ("SOME tags == 'home'", "ANY tags == \"home\""),
        ("NONE tags == 'home'", "NOT ANY tags == \"home\""),
        ("n BETWEEN {1, 10}", "n BETWEEN {1, 10}"),
        ("title == nil", "title == nil"),
        ("self contains 'milk'", "SELF CONTAINS \"milk\""),
        ("allTokens TOKENMATCHES[cdl] 'milk'", "allTokens TOKENMATCHES[cdl] \"milk\""),
        ("ALL tokenize('milk tea', 'Cdl') IN allTokens", "ALL tokenize(\"milk tea\", \"Cdl\") IN allTokens"),
        ("title == 'a\\'b\"c\\\\d\\n'", "title == \"a'b\\\"c\\\\d\\n\""),
        ("TRUEPREDICATE", "TRUEPREDICATE"),
        ("FALSEPREDICATE", "FALSEPREDICATE"),
        ("due < CAST(790000000.5, 'NSDate')", "due < CAST(790000000.500000, \"NSDate\")"),
    ])
    func prints(format: String, printed: String) {
        #expect(NSPredicate(format: format).text == printed)
    }

    /// What is printed describes the same predicate.
    @Test(arguments: [
        "title BEGINSWITH 'M' AND (n > 5 OR NOT (tags IN {'a', 'b'}))", "n BETWEEN {1, 10}", "title != nil",
        "self CONTAINS 'milk tea'", "due >= CAST(790000000, 'NSDate')", "recordID == 'a'", "#recordID == 'a'",
    ])
    func printingIsReversible(format: String) {
        let predicate = NSPredicate(format: format)
        #expect(NSPredicate(format: predicate.text).text == predicate.text)
    }

    @Test func formatsDescribeObjects() throws {
        let predicate = NSPredicate(format: "title BEGINSWITH[cd] %@ AND n > 5", "M")
        let compound = try #require(predicate as? NSCompoundPredicate)
        #expect(compound.compoundPredicateType == .and)
        let first = try #require(compound.subpredicates.first as? CloudKit.NSComparisonPredicate)
        #expect(first.predicateOperatorType == .beginsWith)
        #expect(first.options == [.caseInsensitive, .diacriticInsensitive])
        #expect(first.leftExpression.keyPath == "title")
        #expect(first.rightExpression.constantValue as? String == "M")
    }

    @Test func objectsDescribeFormats() {
        let comparison = CloudKit.NSComparisonPredicate(
            leftExpression: CloudKit.NSExpression(forKeyPath: "title"),
            rightExpression: CloudKit.NSExpression(forConstantValue: "M"),
            modifier: .direct, type: .beginsWith, options: .caseInsensitive)
        #expect(comparison.text == "title BEGINSWITH[c] \"M\"")
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [comparison, NSPredicate(value: true)])
        #expect(both.text == "title BEGINSWITH[c] \"M\" AND TRUEPREDICATE")
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: both).text == "NOT (\(both.text))")
        #expect(NSCompoundPredicate(orPredicateWithSubpredicates: []).text == "FALSEPREDICATE")
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: [comparison]).text == comparison.text)
    }

    @Test func equalPredicatesHaveEqualFormats() {
        #expect(NSPredicate(format: "n > %d", 5) == NSPredicate(format: "n > 5"))
        #expect(NSPredicate(format: "a == 1 OR b == 2") == NSPredicate(format: "a = 1 || b = 2"))
        #expect(NSPredicate(format: "n > 5").hash == NSPredicate(format: "n > 5").hash)
        #expect(NSPredicate(format: "n > 5") != NSPredicate(format: "n > 6"))
        #expect(NSPredicate(value: true) == NSPredicate(format: "TRUEPREDICATE"))
        #expect(NSPredicate { _, _ in true } != NSPredicate { _, _ in true })
    }

    /// The texts that Foundation itself prints are the same, except those of compound predicates that code has made.
    @Test func foundationPrintsTheSame() {
        for format in ["n > 5", "a == 1 AND b == 2", "title =="] {
            #expect((NSPredicate(format: format) as any Printing).predicateFormat == NSPredicate(format: format).text)
        }
    }

    /// XCTest's expectations take Foundation's class.
    @Test func predicatesAreFoundationPredicates() {
        let predicate: Foundation.NSPredicate = NSPredicate { object, _ in object as? Int == 1 }
        #expect(predicate.evaluate(with: 1))
        #expect(!predicate.evaluate(with: 2))
    }
}

/// Foundation deprecates formats on Linux, but has them.
private protocol Printing {
    var predicateFormat: String { get }
}

extension NSPredicate: Printing {}
