import CloudKitModel
import CloudKitSchema
import TestGenerators

/// Random valid schemas with every construct, and random damage to texts, determined by a seed.
struct RandomSchemas {
    private var generator: SeededGenerator

    init(seed: Int) { generator = SeededGenerator(seed: UInt64(seed)) }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private static let names = [
        "a", "B", "title", "grant", "Sortable", "QUERYABLE", "record", "TYPE", "list", "number", "x_1", "SEARCHABLE",
        "preferred", "createRole", "define", "to", "aVeryLongNameThatIsLongerThanTheSystemFields",
    ]
    private static let roles = ["editors", "test role", "Grant", "größe", "a.b", "--", "/*", "'"]

    private mutating func some(_ items: [String], atMost count: Int) -> [String] {
        Array(items.shuffled(using: &generator).prefix(below(count + 1)))
    }

    private mutating func type() -> FieldType {
        let base = FieldType.Base.allCases[below(9)]
        guard base != .number else {
            return [.number, .number(preferredAs: .int64), .number(preferredAs: .double)][below(3)]
        }
        let isEncrypted = base != .reference && base != .asset && below(3) == 0
        return FieldType(base, isList: below(3) == 0, isEncrypted: isEncrypted)
    }

    private mutating func field(_ name: String, _ type: FieldType) -> FieldDefinition {
        let indexes = FieldIndexes(rawValue: Int16(below(8)))
        return FieldDefinition(name: name, type: type, indexes: indexes.intersection(type.possibleIndexes))
    }

    mutating func schema() -> SchemaDefinition {
        let roles = some(Self.roles, atMost: 4)
        let types = some(Self.names + ["cloudkit.share", "Users"], atMost: 6).map { name in
            var fields = some(Self.names, atMost: 8).map { field($0, type()) }
            fields += SystemField.allCases.filter { _ in below(2) == 0 }.map { field($0.rawValue, $0.type) }
            if name == "cloudkit.share" { fields.append(FieldDefinition(name: "cloudkit.title", type: .string)) }
            let grants = (roles + SystemRole.allCases.map(\.rawValue)).map {
                GrantDefinition(role: $0, permissions: Permissions(rawValue: Int16(below(8))))
            }
            return RecordTypeDefinition(
                name: name, fields: fields.shuffled(using: &generator), grants: grants.shuffled(using: &generator))
        }
        return SchemaDefinition(roles: roles, recordTypes: types)
    }

    /// Removes, overwrites, doubles or inserts bytes.
    mutating func damage(_ text: inout [UInt8]) {
        for _ in 0...below(3) where !text.isEmpty {
            let index = below(text.count)
            switch below(5) {
            case 0: text.removeSubrange(index...)
            case 1: text[index] = UInt8.random(in: 0...255, using: &generator)
            case 2: text[index] = Array("(),;<>\"/*-_ \n\r".utf8)[below(14)]
            case 3: text.insert(contentsOf: text[index..<min(index + 30, text.count)], at: index)
            default: text.removeSubrange(index..<min(index + 1 + below(20), text.count))
            }
        }
    }

    mutating func bytes() -> [UInt8] { (0..<below(200)).map { _ in UInt8.random(in: 0...255, using: &generator) } }
}
