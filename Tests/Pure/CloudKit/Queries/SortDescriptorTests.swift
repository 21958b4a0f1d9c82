import CloudKit
import Foundation
import Testing

@Suite struct SortDescriptorTests {
    @Test func sortsByKey() {
        let notes: [[String: Any]] = [["n": 2], ["n": 10], [:], ["n": 1.5]]
        func sorted(_ descriptor: NSSortDescriptor) -> [Double?] {
            (notes as NSArray).sortedArray(using: [descriptor]).map {
                (($0 as? [String: Any])?["n"] as? NSNumber)?.doubleValue
            }
        }
        #expect(sorted(NSSortDescriptor(key: "n", ascending: true)) == [1.5, 2, 10, nil])
        #expect(sorted(NSSortDescriptor(key: "n", ascending: false)) == [10, 2, 1.5, nil])
    }

    @Test func sortsByKeyPath() {
        let words = ["bbb", "a", "cc"] as NSArray
        let sorted = words.sortedArray(using: [NSSortDescriptor(keyPath: \String.count, ascending: true)])
        #expect(sorted as? [String] == ["a", "cc", "bbb"])
    }

    @Test func equality() {
        let descriptor = NSSortDescriptor(key: "n", ascending: true)
        #expect(descriptor == NSSortDescriptor(key: "n", ascending: true))
        #expect(descriptor != NSSortDescriptor(key: "n", ascending: false))
        #expect(descriptor.reversedSortDescriptor as? NSSortDescriptor == NSSortDescriptor(key: "n", ascending: false))
        #expect(descriptor.key == "n")
    }
}
