/// A header table: named values in the order in which they were set.
///
/// Tables usually have only a few entries, so a plain array with linear look-up is smaller and faster than a
/// dictionary. Equality ignores the order, which has no meaning in AMQP.
package struct AMQPTable: Sendable {
    private var entries: [(key: String, value: AMQPValue)] = []

    /// Creates an empty table.
    package init() {}

    /// The value of `key`. Setting nil removes the entry.
    package subscript(key: String) -> AMQPValue? {
        get {
            entries.first { $0.key == key }?.value
        }
        set {
            let index = entries.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// Returns the string for `key`, or nil if there is no value or the value has a different type.
    package func string(_ key: String) -> String? {
        if case .string(let value) = self[key] { value } else { nil }
    }

    /// Returns the integer for `key`, or nil if there is no value or the value has a different type.
    package func int64(_ key: String) -> Int64? {
        if case .int64(let value) = self[key] { value } else { nil }
    }

    /// Appends an entry without checking for an entry with the same key. Used only for tables read from the wire.
    mutating func append(_ key: String, _ value: AMQPValue) {
        entries.append((key, value))
    }

    /// An upper bound on the table's size in a frame, in bytes.
    var encodedSize: Int {
        entries.reduce(4) { $0 + 1 + $1.key.utf8.count + $1.value.encodedSize }
    }

    /// Whether every key, including nested ones, fits into an AMQP short string.
    var hasValidKeys: Bool {
        entries.allSatisfy { $0.key.utf8.count <= AMQPMessage.maxShortStringBytes && $0.value.hasValidKeys }
    }
}

extension AMQPTable: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, AMQPValue)...) {
        for (key, value) in elements {
            self[key] = value
        }
    }
}

extension AMQPTable: Sequence {
    package func makeIterator() -> IndexingIterator<[(key: String, value: AMQPValue)]> {
        entries.makeIterator()
    }

    /// The number of entries.
    package var count: Int {
        entries.count
    }

    /// Whether the table is empty.
    package var isEmpty: Bool {
        entries.isEmpty
    }

    package var underestimatedCount: Int {
        entries.count
    }
}

extension AMQPTable: Hashable {
    package static func == (one: AMQPTable, other: AMQPTable) -> Bool {
        one.count == other.count && one.allSatisfy { other[$0.key] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        // The hash must not depend on the order, so the hashes of the entries are summed.
        var sum = 0
        for (key, value) in entries {
            var entry = Hasher()
            entry.combine(key)
            entry.combine(value)
            sum &+= entry.finalize()
        }
        hasher.combine(sum)
    }
}
