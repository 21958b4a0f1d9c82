/// A header table: named values in the order in which they were set.
///
/// A handful of entries is the rule, so a plain array with linear look-up is smaller and quicker than a dictionary.
/// Equality does not regard the order, as AMQP gives it no meaning.
package struct AMQPTable: Sendable {
    private var entries: [(key: String, value: AMQPValue)] = []

    /// An empty table.
    package init() {}

    /// The value of `key`; setting nil removes the entry.
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

    /// The string under `key`, nil when there is none or it has another kind.
    package func string(_ key: String) -> String? {
        if case .string(let value) = self[key] { value } else { nil }
    }

    /// The integer under `key`, nil when there is none or it has another kind.
    package func int64(_ key: String) -> Int64? {
        if case .int64(let value) = self[key] { value } else { nil }
    }

    /// Appends without looking for an entry of the same name: only for tables read from the wire.
    mutating func append(_ key: String, _ value: AMQPValue) {
        entries.append((key, value))
    }

    /// An upper bound of the bytes this table takes in a frame.
    var encodedSize: Int {
        entries.reduce(4) { $0 + 1 + $1.key.utf8.count + $1.value.encodedSize }
    }

    /// Whether every key within fits AMQP's short string.
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

    /// Whether there is no entry.
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
        // The order must not matter, therefore the sum of the entries' own hashes.
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
