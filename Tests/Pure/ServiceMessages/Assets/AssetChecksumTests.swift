import ServiceMessages
import Testing

struct AssetChecksumTests {
    static let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    static let fileChecksum = "Abp4Fr+PAc/qQUFA3l2uIiOwA2Gjlhd6nLQQ/2HyABWt"

    /// The SHA-256 of "abc" (FIPS 180-4), and the forms that other programs derive from it.
    @Test(arguments: [hex, hex.uppercased(), fileChecksum])
    func bothSpellingsAreTheSameChecksum(text: String) throws {
        let checksum = try #require(AssetChecksum(text))
        #expect(checksum.hex == Self.hex)
        #expect(checksum.description == Self.hex)
        #expect(checksum.fileChecksum == Self.fileChecksum)
        #expect(checksum.referenceChecksum == "AfdfsBo296Q7IKd7MdlWFDF/A6zh")
        #expect(checksum.wrappingKey == "nhl9Ovuj5l9UFjTWnhZ9/A==")
        #expect(AssetChecksum(bytes: checksum.bytes) == checksum)
    }

    static let others = [
        "", "abc", "\(hex.dropLast())", "\(hex)0", "\(hex.dropLast(2))zz", "\(fileChecksum.dropLast(4))",
        "\(fileChecksum)AAAA",
    ]

    @Test(arguments: others)
    func anythingElseIsInvalid(text: String) {
        #expect(AssetChecksum(text) == nil)
    }

    @Test func anotherVersionIsInvalid() {
        #expect(AssetChecksum("Arp4Fr+PAc/qQUFA3l2uIiOwA2Gjlhd6nLQQ/2HyABWt") == nil)
        #expect(AssetChecksum(bytes: Array(repeating: 0, count: 31)) == nil)
    }
}
