import CloudKitModel
import Testing

struct FieldTypeTests {
    static let ofValues = FieldType.Base.ofValues.flatMap { base in
        [(false, false), (true, false), (false, true), (true, true)].map {
            FieldType(base, isList: $0.0, isEncrypted: $0.1)
        }
    }
    static let all = ofValues + [.number, .number(preferredAs: .int64), .number(preferredAs: .double)]

    @Test func storageCodesAreDistinctAndReadBack() {
        #expect(Set(Self.all.map(\.storageCode)).count == Self.all.count)
        for type in Self.all { #expect(FieldType(storageCode: type.storageCode) == type) }
    }

    @Test(arguments: [0, 10, 15, 16, 25, 41, 64, -1, 65, 201, 4096 + 9] as [Int16])
    func otherNumbersAreNoStorageCode(code: Int16) { #expect(FieldType(storageCode: code) == nil) }

    @Test func wireNamesReadBack() {
        for type in Self.ofValues { #expect(FieldType(wireName: type.description) == type) }
    }

    @Test(arguments: [
        ("INT", FieldType.int64), ("BYTE", .bytes), ("DATETIME", .timestamp), ("ASSET", .asset),
        ("ASSET_LIST", .list(.asset)), ("ENCRYPTED_BYTES", FieldType(.bytes, isEncrypted: true)),
    ])
    func spellingsSeenInClientsAreAccepted(name: String, type: FieldType) {
        #expect(FieldType(wireName: name) == type)
    }

    @Test(arguments: ["string", "", "LIST", "UNKNOWN_LIST", "_LIST", "STRING_LIST_LIST", "NUMBER"])
    func otherNamesAreUnknown(name: String) { #expect(FieldType(wireName: name) == nil) }

    @Test func databaseScopesHaveTheirNumbersAndNames() {
        #expect(DatabaseScope.allCases.map(\.rawValue) == [1, 2, 3])
        #expect(DatabaseScope.allCases.map(\.wireName) == ["public", "private", "shared"])
        #expect(DatabaseScope(wireName: "shared") == .shared)
        #expect(DatabaseScope(wireName: "Public") == nil)
    }
}
