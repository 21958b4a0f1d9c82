import Foundation
import Testing

@testable import CloudKit

/// A predicate that no query can use does not stop the program; a request with it says what is wrong.
@Suite struct UnusablePredicateTests {
    private func fault(_ predicate: NSPredicate) -> CKError? {
        do throws(CKError) {
            _ = try QueryCoding.wire(of: CKQuery(recordType: "Note", predicate: predicate))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("title ==", "column 9: expected a value after '=='"),
        ("title == %@", "column 10: missing argument for '%@'"),
        ("list.title == 'a'", "column 5: key paths with a '.' are not supported"),
        ("@count > 5", "column 1: aggregates such as @count are not supported"),
        ("", "column 1: expected a comparison"),
    ])
    func formats(format: String, reason: String) throws {
        let predicate = NSPredicate(format: format)
        #expect(predicate.text == format)
        #expect(!predicate.evaluate(with: ["title": "a"]))
        let error = try #require(fault(predicate))
        #expect(error.code == .invalidArguments)
        #expect(error.localizedDescription.contains(reason))
        #expect(error.localizedDescription.contains("'\(format)'"))
    }

    @Test func partsOfCompounds() throws {
        let both = NSCompoundPredicate(
            andPredicateWithSubpredicates: [NSPredicate(format: "a == 1"), NSPredicate(format: "title ==")])
        #expect(fault(both)?.localizedDescription.contains("expected a value after '=='") == true)
    }

    @Test func values() throws {
        let error = try #require(fault(NSPredicate(format: "a == %@", UUID())))
        #expect(error.localizedDescription.contains("a field cannot be compared with a value of type UUID"))
        #expect(fault(NSPredicate(format: "a == %@", Data([1])))?.code == .invalidArguments)
        #expect(fault(NSPredicate(format: "a == %@", NSNumber(value: Double.nan)))?.code == .invalidArguments)
    }

    @Test func closures() throws {
        let error = try #require(fault(NSPredicate { _, _ in true }))
        #expect(error.code == .invalidArguments)
        #expect(error.localizedDescription.contains("closure"))
    }

    @Test func sortsWithoutKeys() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: nil, ascending: true)]
        let error = #expect(throws: CKError.self) { try QueryCoding.wire(of: query) }
        #expect(error?.code == .invalidArguments)
    }
}
