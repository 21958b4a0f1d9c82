package import CloudKitModel

/// A record's fields as PostgreSQL keeps them: one JSON object of bare values, whose types the schema knows.
///
/// Values stay the bytes they are until somebody asks for one, so that reading a record and passing it on costs a
/// scan and a copy. Fields are sorted as jsonb sorts them, by length of the name and then by its bytes.
package struct StoredFields: Hashable, Sendable {
    private struct Entry: Hashable {
        let name: String
        /// Where in `storage` the value's JSON lies.
        let range: Range<Int>
    }

    /// The text that was parsed, followed by the values set since.
    private var storage: [UInt8]
    private var entries: [Entry]

    /// No fields.
    package init() {
        storage = []
        entries = []
    }

    /// Takes apart the text of a jsonb object. One pass; values are not interpreted.
    /// - Throws: `INTERNAL_ERROR` if the text is no object.
    package init(parsing json: [UInt8]) throws(ServerError) {
        var entries: [Entry] = []
        do throws(WireFault) {
            try JSONScanner.scan(trusted: json[...]) { scanner throws(WireFault) in
                try scanner.open(UInt8(ascii: "{"))
                var isFirst = true
                while let key = try scanner.nextKey(isFirst: &isFirst) {
                    let name = try scanner.text(key)
                    _ = scanner.peek()
                    let start = scanner.position
                    try scanner.skipValue()
                    entries.append(Entry(name: name, range: start..<scanner.position))
                }
            }
        } catch {
            throw .internalError(.storedRecordDamaged)
        }
        storage = json
        self.entries = entries
        if !zip(entries, entries.dropFirst()).allSatisfy({ Self.precedes($0.name, $1.name) }) {
            self.entries.sort { Self.precedes($0.name, $1.name) }
        }
    }

    /// The names of the fields that have a value, in storage order.
    package var names: [String] { entries.map(\.name) }

    /// The number of fields.
    package var count: Int { entries.count }

    /// Whether there are none.
    package var isEmpty: Bool { entries.isEmpty }

    /// The bare JSON of a field; nil if it has no value.
    package func raw(_ name: String) -> ArraySlice<UInt8>? {
        guard let index = index(of: name) else { return nil }
        return storage[entries[index].range]
    }

    /// Calls `body` with each field's name and bare JSON, in storage order.
    package func forEach(_ body: (_ name: String, _ raw: ArraySlice<UInt8>) -> Void) {
        for entry in entries { body(entry.name, storage[entry.range]) }
    }

    /// The value of a field of `type`; nil if it has none.
    /// - Throws: `INTERNAL_ERROR` with the field if what is stored is not of that type.
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

    /// Sets a field. An asset's receipt and address are left out: they are not part of a record. Its blob is kept.
    package mutating func set(_ name: String, _ value: FieldValue) {
        var writer = WireWriter(appendingTo: storage)
        storage = []
        // The comma that the writer puts between two values belongs to neither.
        writer.separate()
        let start = writer.bytes.count
        writer.bareValue(value, form: .stored)
        storage = writer.bytes
        place(Entry(name: name, range: start..<storage.count))
    }

    /// Removes a field, if it is there.
    package mutating func remove(_ name: String) {
        if let index = index(of: name) { entries.remove(at: index) }
    }

    /// Removes the fields that are not among `names`.
    package mutating func keep(only names: Set<String>) {
        entries.removeAll { !names.contains($0.name) }
    }

    /// These fields with those of `changes` set over them.
    package func merging(_ changes: StoredFields) -> StoredFields {
        var merged = self
        for entry in changes.entries {
            let start = merged.storage.count
            merged.storage.append(contentsOf: changes.storage[entry.range])
            merged.place(Entry(name: entry.name, range: start..<merged.storage.count))
        }
        return merged
    }

    /// The JSON object, to be stored.
    package func encoded() -> [UInt8] {
        var writer = WireWriter(capacity: storage.count + entries.count * 16 + 2)
        writer.beginObject()
        for entry in entries {
            writer.key(entry.name)
            writer.raw(storage[entry.range])
        }
        writer.endObject()
        return writer.bytes
    }

    /// Whether both hold the same fields with the same bytes.
    package static func == (one: StoredFields, other: StoredFields) -> Bool {
        one.entries.count == other.entries.count
            && zip(one.entries, other.entries).allSatisfy {
                $0.name == $1.name && one.storage[$0.range] == other.storage[$1.range]
            }
    }

    /// Hashes what `==` compares.
    package func hash(into hasher: inout Hasher) {
        for entry in entries {
            hasher.combine(entry.name)
            hasher.combine(storage[entry.range])
        }
    }

    private mutating func place(_ entry: Entry) {
        let position = insertionIndex(of: entry.name)
        if position < entries.count, entries[position].name == entry.name {
            entries[position] = entry
        } else {
            entries.insert(entry, at: position)
        }
    }

    private func index(of name: String) -> Int? {
        let position = insertionIndex(of: name)
        return position < entries.count && entries[position].name == name ? position : nil
    }

    /// The index of the first field that does not stand before `name`.
    private func insertionIndex(of name: String) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(entries[middle].name, name) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        let (a, b) = (one.utf8.count, other.utf8.count)
        return a == b ? one < other : a < b
    }
}
