package import CloudKitModel

/// The types of fields, in the order in which ``StoredFields`` keeps them: both are walked side by side, and a record is
/// written without making or looking up a name.
///
/// All texts lie in one array: what is copied for each field of each record has no references to be counted.
package struct FieldTypes: Sendable {
    /// A field.
    package struct Field: Sendable {
        /// The field's type.
        package let type: FieldType
        /// Whether it is kept and told to nobody.
        package fileprivate(set) var isHidden: Bool
        /// Where its name lies.
        fileprivate let name: Range<Int>
        /// Where that lies which stands before the value in an answer: the name and the beginning of a dictionary.
        let opening: Range<Int>
        /// Where that lies which stands behind it: the type and the dictionary's end.
        let closing: Range<Int>
    }

    /// The fields in storage order.
    private(set) var fields: [Field] = []
    /// Names, openings and closings.
    private(set) var text: [UInt8] = []

    /// Those fields.
    package init(_ types: [String: FieldType] = [:]) {
        for (name, type) in types { set(name, type) }
    }

    /// Adds a field, or gives it another type.
    package mutating func set(_ name: String, _ type: FieldType, isHidden: Bool = false) {
        var writer = WireWriter(capacity: name.utf8.count + 16)
        writer.key(name)
        writer.literal("{\"value\":")
        let field = Field(
            type: type, isHidden: isHidden, name: add(name.utf8), opening: add(writer.bytes),
            closing: add(Self.closing(of: type)))
        let position = fields.firstIndex { !Self.precedes(text[$0.name], text[field.name]) } ?? fields.count
        if position < fields.count, text[fields[position].name] == text[field.name] {
            fields[position] = field
        } else {
            fields.insert(field, at: position)
        }
    }

    /// Hides the fields of which `isUnwanted` is true.
    mutating func hide(_ isUnwanted: (Field) -> Bool) {
        for index in fields.indices where isUnwanted(fields[index]) { fields[index].isHidden = true }
    }

    /// Lends `body` a walk along the fields.
    @inline(__always)
    func withCursor<Value, Failure: Error>(
        _ body: (inout FieldTypesCursor) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try text.withUnsafeBufferPointer { text throws(Failure) in
            try fields.withUnsafeBufferPointer { fields throws(Failure) in
                var cursor = FieldTypesCursor(fields, text: text)
                return try body(&cursor)
            }
        }
    }

    private mutating func add(_ bytes: some Collection<UInt8>) -> Range<Int> {
        let start = text.count
        text.append(contentsOf: bytes)
        return start..<text.count
    }

    /// What stands behind a value of `type`.
    static func closing(of type: FieldType) -> [UInt8] {
        Array(",\"type\":\"\(type.wireName)\"\(type.isEncrypted ? ",\"isEncrypted\":true" : "")}".utf8)
    }

    /// The name of a field.
    func name(of field: Field) -> String { String(decoding: text[field.name], as: UTF8.self) }

    /// The order of jsonb: by the length of the name, and then by its bytes.
    static func precedes(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }
}

/// A walk along fields, for names that come in storage order.
struct FieldTypesCursor {
    /// The names, which are lent while the cursor is in use.
    let text: UnsafeBufferPointer<UInt8>
    let fields: UnsafeBufferPointer<FieldTypes.Field>
    private var position = 0

    init(_ fields: UnsafeBufferPointer<FieldTypes.Field>, text: UnsafeBufferPointer<UInt8>) {
        (self.fields, self.text) = (fields, text)
    }

    /// The field of that name; nil: there is none.
    @inline(__always)
    mutating func advance(to name: UnsafeBufferPointer<UInt8>) -> FieldTypes.Field? {
        while position < fields.count {
            let order = compare(fields[position].name, name)
            if order > 0 { return nil }
            position += 1
            if order == 0 { return fields[position - 1] }
        }
        return nil
    }

    @inline(__always)
    private func compare(_ field: Range<Int>, _ name: UnsafeBufferPointer<UInt8>) -> Int {
        if field.count != name.count { return field.count - name.count }
        for index in 0..<name.count where text[field.lowerBound + index] != name[index] {
            return Int(text[field.lowerBound + index]) - Int(name[index])
        }
        return 0
    }
}
