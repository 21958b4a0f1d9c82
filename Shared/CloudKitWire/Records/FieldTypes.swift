package import CloudKitModel

/// The types of fields, in the storage order of ``StoredFields``. Writing a record traverses both in parallel, without
/// creating strings for names or looking up names.
///
/// All strings are stored in one array, so copying a field's entry requires no reference counting.
package struct FieldTypes: Sendable {
    /// A field.
    package struct Field: Sendable {
        /// The field's type.
        package let type: FieldType
        /// Whether the field is omitted from replies.
        package fileprivate(set) var isHidden: Bool
        /// The range of the name in ``FieldTypes/text``.
        fileprivate let name: Range<Int>
        /// The range of the JSON that precedes the value in a reply: the name and the start of a dictionary.
        let opening: Range<Int>
        /// The range of the JSON that follows the value: the type and the end of the dictionary.
        let closing: Range<Int>
    }

    /// The fields, in storage order.
    private(set) var fields: [Field] = []
    /// The names, openings and closings of all fields.
    private(set) var text: [UInt8] = []

    /// Creates the table from field names and types.
    package init(_ types: [String: FieldType] = [:]) {
        for (name, type) in types { set(name, type) }
    }

    /// Adds a field, or replaces its type.
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

    /// Hides the fields for which `isUnwanted` returns true.
    mutating func hide(_ isUnwanted: (Field) -> Bool) {
        for index in fields.indices where isUnwanted(fields[index]) { fields[index].isHidden = true }
    }

    /// Calls `body` with a cursor at the first field.
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

    /// Returns the JSON that follows a value of `type`.
    static func closing(of type: FieldType) -> [UInt8] {
        Array(",\"type\":\"\(type.wireName)\"\(type.isEncrypted ? ",\"isEncrypted\":true" : "")}".utf8)
    }

    /// Returns the name of a field.
    func name(of field: Field) -> String { String(decoding: text[field.name], as: UTF8.self) }

    /// Returns whether one name precedes the other in the order of jsonb: by the length of the name, then by its bytes.
    static func precedes(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }
}

/// A cursor over fields, for looking up names in storage order.
struct FieldTypesCursor {
    /// The text of the ``FieldTypes``. Valid while the cursor is in use.
    let text: UnsafeBufferPointer<UInt8>
    let fields: UnsafeBufferPointer<FieldTypes.Field>
    private var position = 0

    init(_ fields: UnsafeBufferPointer<FieldTypes.Field>, text: UnsafeBufferPointer<UInt8>) {
        (self.fields, self.text) = (fields, text)
    }

    /// Returns the field with this name, and moves past it. Returns nil if there is none. Names must be passed in
    /// storage order.
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
