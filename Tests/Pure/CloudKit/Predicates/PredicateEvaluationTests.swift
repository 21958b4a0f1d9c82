import CloudKit
import Foundation
import Testing

/// Predicates filter records in memory as a server does.
@Suite struct PredicateEvaluationTests {
    private let note: [String: Any] = [
        "title": "Milk", "n": 7, "tags": ["home", "shop"], "due": Date(timeIntervalSince1970: 1000), "done": true,
        "place": CLLocation(latitude: 48.85, longitude: 2.35),
    ]

    @Test(arguments: [
        "title == 'Milk'", "title BEGINSWITH 'M'", "title CONTAINS[c] 'mil'", "title LIKE 'M*'", "n > 5", "n >= 6.5",
        "n BETWEEN {1, 7}", "n IN {1, 7}", "tags CONTAINS 'home'", "'shop' IN tags", "ANY tags == 'home'",
        "done == YES", "due < CAST('2026-01-15T18:00:00Z', 'NSDate')", "missing == nil", "NOT (missing == 'a')",
        "self CONTAINS 'milk'", "title != 'Tea' AND n != 8",
        "distanceToLocation:fromLocation:(place, location(48.85, 2.36)) < 1000",
    ])
    func matches(format: String) { #expect(NSPredicate(format: format).evaluate(with: note)) }

    @Test(arguments: [
        "title == 'milk'", "n < 5", "missing == 'a'", "missing != 'a'", "tags CONTAINS 'work'", "title == nil",
        "FALSEPREDICATE", "n == 'text'", "NOT TRUEPREDICATE",
    ])
    func doesNotMatch(format: String) { #expect(!NSPredicate(format: format).evaluate(with: note)) }

    @Test func records() {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
        record["title"] = "Milk"
        #expect(NSPredicate(format: "title == 'Milk' AND recordID == 'a'").evaluate(with: record))
        #expect(!NSPredicate(format: "recordID == 'b'").evaluate(with: record))
    }

    @Test func arrays() {
        let numbers = [["n": 1], ["n": 2], ["n": 3]] as NSArray
        #expect(numbers.filtered(using: NSPredicate(format: "n >= 2")).count == 2)
    }
}
