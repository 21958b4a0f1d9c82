import Foundation
import ServiceMessages
import Testing

@testable import AssetService
@testable import BlobStorage

struct BlobKeyTests {
    static let checksum = AssetChecksum(String(repeating: "ab", count: 32))!
    static let generation = UUID()

    static func key(_ container: String) -> BlobKey {
        BlobKey(container: container, checksum: checksum, generation: generation)
    }

    @Test(arguments: [
        "iCloud.com.example.app", "..", "a/../../b", "/", "~", String(repeating: "x", count: 255), "%2F", "a*#",
    ])
    func aKeyIsThreePlainPartsWhateverTheContainer(container: String) throws {
        let parts = Self.key(container).rawValue.split(separator: "/", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        #expect(!parts[0].isEmpty && !parts[0].hasPrefix("."))
        #expect(parts[1] == "ab")
        let read = try #require(BlobKey(Self.key(container).rawValue))
        #expect(read == Self.key(container))
    }

    @Test func containersDoNotShareAFolder() {
        let names = ["a/b", "a%2Fb", "a.b", "a%2Eb", "A/B", String(repeating: "x", count: 41)]
        #expect(Set(names.map { Self.key($0) }).count == names.count)
    }

    @Test(arguments: ["", "a", "a/ab/ab", "a/ab/x.y", "a/cd/\(String(repeating: "ab", count: 32)).\(UUID())"])
    func otherNamesAreNoKeys(name: String) {
        #expect(BlobKey(name) == nil)
    }
}
