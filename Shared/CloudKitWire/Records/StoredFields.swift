package import CloudKitModel

/// A record's fields as stored in PostgreSQL: one JSON object of bare values. Their types are in the schema.
///
/// Values remain encoded until they are requested, so a record is read and forwarded with one scan and one copy. Fields
/// are in the order of jsonb: by the length of the name, and then by the bytes of the name.
package struct StoredFields: Hashable, Sendable {
    /// The ranges of a field in `storage`.
    private struct Entry {
        /// The name, without quotes and escapes.
        let name: Range<Int>
        /// The JSON of the value.
        let value: Range<Int>
    }

    /// The parsed text, followed by the names and values that were set later.
    private var storage: [UInt8]
    private var entries: [Entry]

    /// Creates an empty set of fields.
    package init() {
        storage = []
        entries = []
    }

    /// Creates fields from the text of a jsonb object, in one pass. Does not decode the values.
    /// - Throws: `INTERNAL_ERROR` if the text is not an object.
    package init(parsing json: [UInt8]) throws(ServerError) {
        var entries: [Entry] = []
        entries.reserveCapacity(16)
        // Names stored by the service contain no escapes. If a name from another source contains escapes, it is
        // unescaped and appended to the text.
        var unescaped: [UInt8] = []
        do throws(WireFault) {
            try JSONScanner.scan(trusted: json[...]) { scanner throws(WireFault) in
                try scanner.open(UInt8(ascii: "{"))
                var isFirst = true
                while let key = try scanner.nextKey(isFirst: &isFirst) {
                    var name = key.start..<key.start + key.count
                    if key.isEscaped {
                        let start = json.count + unescaped.count
                        unescaped.append(contentsOf: try scanner.text(key).utf8)
                        name = start..<json.count + unescaped.count
                    }
                    _ = scanner.peek()
                    let start = scanner.position
                    try scanner.skipValue()
                    entries.append(Entry(name: name, value: start..<scanner.position))
                }
            }
        } catch {
            throw .internalError(.storedRecordDamaged)
        }
        storage = json
        if !unescaped.isEmpty { storage.append(contentsOf: unescaped) }
        let text = storage
        func precedes(_ one: Entry, _ other: Entry) -> Bool { FieldTypes.precedes(text[one.name], text[other.name]) }
        if !zip(entries, entries.dropFirst()).allSatisfy(precedes) { entries.sort(by: precedes) }
        self.entries = entries
    }

    /// The names of the fields that have a value, in storage order.
    package var names: [String] { entries.map(name) }

    /// The number of fields.
    package var count: Int { entries.count }

    /// Whether there are no fields.
    package var isEmpty: Bool { entries.isEmpty }

    /// Returns the bare JSON of a field; nil if the field has no value.
    package func raw(_ name: String) -> ArraySlice<UInt8>? {
        guard let index = index(of: name) else { return nil }
        return storage[entries[index].value]
    }

    /// Calls `body` with each field's name and bare JSON, in storage order.
    package func forEach(_ body: (_ name: String, _ raw: ArraySlice<UInt8>) -> Void) {
        for entry in entries { body(name(of: entry), storage[entry.value]) }
    }

    /// Calls `body` with each field that `types` contains and the field's bare JSON, in storage order.
    @inline(__always)
    func forEach(
        in types: FieldTypes, _ body: (_ field: FieldTypes.Field, _ raw: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        storage.withUnsafeBufferPointer { storage in
            types.withCursor { cursor in
                for entry in entries {
                    guard let field = cursor.advance(to: UnsafeBufferPointer(rebasing: storage[entry.name])) else {
                        continue
                    }
                    body(field, UnsafeBufferPointer(rebasing: storage[entry.value]))
                }
            }
        }
    }

    /// Returns whether `types` contains all fields.
    package func areAll(in types: FieldTypes) -> Bool {
        var known = 0
        forEach(in: types) { _, _ in known += 1 }
        return known == entries.count
    }

    /// Returns the decoded value of a field of `type`; nil if the field has no value.
    /// - Throws: an `INTERNAL_ERROR` that names the field, if the stored value is not of this type.
    package func value(_ name: String, as type: FieldType) throws(ServerError) -> FieldValue? {
        guard let raw = raw(name) else { return nil }
        do throws(WireFault) {
            return try JSONScanner.scan(trusted: raw) { scanner throws(WireFault) in try scanner.value(as: type) }
        } catch {
            var damaged = ServerError.internalError(.storedFieldDamaged)
            damaged.field = name
            throw damaged
        }
    }

    /// Sets a field. The blob of an asset is stored, but its receipt and download URL are not, because they are not
    /// part of a record.
    package mutating func set(_ name: String, _ value: FieldValue) {
        let start = storage.count
        storage.append(contentsOf: name.utf8)
        let end = storage.count
        var writer = WireWriter(appendingTo: storage)
        storage = []
        // The writer might insert a comma after the name. Writing it here keeps it out of both the name and the value.
        writer.separate()
        let valueStart = writer.bytes.count
        writer.bareValue(value, form: .stored)
        storage = writer.bytes
        place(Entry(name: start..<end, value: valueStart..<storage.count))
    }

    /// Removes a field, if it exists.
    package mutating func remove(_ name: String) {
        if let index = index(of: name) { entries.remove(at: index) }
    }

    /// Removes all fields except `names`.
    package mutating func keep(only names: Set<String>) {
        entries = entries.filter { names.contains(name(of: $0)) }
    }

    /// Returns these fields together with those of `changes`, which replace fields of the same name.
    package func merging(_ changes: StoredFields) -> StoredFields {
        var merged = self
        for entry in changes.entries {
            let start = merged.storage.count
            merged.storage.append(contentsOf: changes.storage[entry.name])
            let end = merged.storage.count
            merged.storage.append(contentsOf: changes.storage[entry.value])
            merged.place(Entry(name: start..<end, value: end..<merged.storage.count))
        }
        return merged
    }

    /// Returns the JSON object to store.
    package func encoded() -> [UInt8] {
        var writer = WireWriter(capacity: storage.count + entries.count * 16 + 2)
        writer.beginObject()
        for entry in entries {
            writer.key(name(of: entry))
            writer.raw(storage[entry.value])
        }
        writer.endObject()
        return writer.bytes
    }

    /// Returns whether both have the same fields with byte-identical values.
    package static func == (one: StoredFields, other: StoredFields) -> Bool {
        one.entries.count == other.entries.count
            && zip(one.entries, other.entries).allSatisfy {
                one.storage[$0.name] == other.storage[$1.name] && one.storage[$0.value] == other.storage[$1.value]
            }
    }

    /// Hashes the bytes that `==` compares.
    package func hash(into hasher: inout Hasher) {
        for entry in entries {
            hasher.combine(storage[entry.name])
            hasher.combine(storage[entry.value])
        }
    }

    private func name(of entry: Entry) -> String { String(decoding: storage[entry.name], as: UTF8.self) }

    private mutating func place(_ entry: Entry) {
        let position = insertionIndex(of: storage[entry.name])
        if position < entries.count, storage[entries[position].name] == storage[entry.name] {
            entries[position] = entry
        } else {
            entries.insert(entry, at: position)
        }
    }

    private func index(of name: String) -> Int? {
        let name = Array(name.utf8)[...]
        let position = insertionIndex(of: name)
        return position < entries.count && storage[entries[position].name] == name ? position : nil
    }

    /// Returns the index of the first field that does not precede `name`.
    private func insertionIndex(of name: ArraySlice<UInt8>) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if FieldTypes.precedes(storage[entries[middle].name], name) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
