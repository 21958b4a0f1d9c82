import AssetTestSupport
import Foundation
import ServiceRuntime
import Testing

@testable import AssetService
@testable import BlobStorage

struct EncryptionKeysTests {
    @Test func theFirstLineIsTheKeyOfNewBlobsAndOthersAreFound() throws {
        let keys = try EncryptionKeys(
            parsing:
                "# 2026\r\n\(EncryptionKeys.testLine("new", 1))\n\n# 2025\n \(EncryptionKeys.testLine("old", 2)) \n")
        #expect(keys.current.id == "new")
        let old = try EncryptionKeys.test(["old": 2]).current
        #expect(keys.key(old.fingerprint)?.id == "old")
        #expect(keys.key(try EncryptionKeys.test(["other": 3]).current.fingerprint) == nil)
    }

    @Test func anotherSecretUnderTheSameIDIsAnotherKey() throws {
        #expect(
            try EncryptionKeys.test(["k": 1]).current.fingerprint != EncryptionKeys.test(["k": 2]).current.fingerprint)
    }

    @Test(arguments: [
        "", "# nothing\n", "k1", "k1:", ":AAAA", "k1:AAAA", "k 1:\(Data(count: 32).base64EncodedString())",
        "k1:\(Data(count: 31).base64EncodedString())", "k1:\(Data(count: 33).base64EncodedString())",
        "k1:\(String(repeating: "0", count: 64))",
        "\(String(repeating: "k", count: 33)):\(Data(count: 32).base64EncodedString())",
        "k1:\(Data(count: 32).base64EncodedString())\nk1:\(Data(repeating: 1, count: 32).base64EncodedString())",
    ])
    func whatIsNoFileOfKeysIsRefusedAndNotRepeated(text: String) throws {
        let error = #expect(throws: EncryptionKeys.FileError.self) { try EncryptionKeys(parsing: text) }
        #expect(error?.description.contains("AAAA") == false && error?.description.contains("0000") == false)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).keys")
        defer { try? FileManager.default.removeItem(at: file) }
        try text.write(to: file, atomically: true, encoding: .utf8)
        let refusal = #expect(throws: SettingError.self) {
            try AssetServiceConfiguration.test(["ZONDA_ASSET_ENCRYPTION_KEYS_FILE": file.path])
        }
        #expect(
            refusal?.description.hasPrefix("ZONDA_ASSET_ENCRYPTION_KEYS_FILE: must name a file that contains keys: ")
                == true)
    }

    @Test func aFileThatCannotBeReadIsRefused() {
        let line = EncryptionKeys.testLine("k1", 90)
        let error = #expect(throws: SettingError.self) {
            try AssetServiceConfiguration.test(["ZONDA_ASSET_ENCRYPTION_KEYS_FILE": line])
        }
        #expect(error?.description.contains(line) == false)
        #expect(
            error?.description.hasPrefix("ZONDA_ASSET_ENCRYPTION_KEYS_FILE: must name a file that can be read") == true)
    }

    @Test func aGenerationTellsHowItsFileIsStored() throws {
        let sealed = SealedGeneration(fingerprint: 0xFEDC_BA98)
        for _ in 0..<100 {
            let (generation, plain) = (sealed.make(), UUID())
            #expect(SealedGeneration(generation) == sealed)
            #expect(SealedGeneration(plain) == nil)
            #expect(generation >= sealed.bounds.first && generation <= sealed.bounds.last)
            #expect(plain < sealed.bounds.first || plain > sealed.bounds.last)
        }
        #expect(sealed.make() != sealed.make())
        #expect(sealed.bounds.first.uuidString == "FEDCBA98-0001-8000-8000-000000000000")
        #expect(sealed.bounds.last.uuidString == "FEDCBA98-0001-8FFF-BFFF-FFFFFFFFFFFF")
    }
}
