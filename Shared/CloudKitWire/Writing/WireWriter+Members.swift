package import CloudKitModel

/// Writes keys with their values.
extension WireWriter {
    /// Writes a key with a string.
    package mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    /// Writes a key with a string, or nothing for nil.
    package mutating func member(_ name: StaticString, _ value: String?) {
        if let value { member(name, value) }
    }

    /// Writes a key with a record's name, or nothing for nil.
    package mutating func member(_ name: StaticString, _ value: RecordName?) { member(name, value?.rawValue) }

    /// Writes a key with an integer, or nothing for nil.
    package mutating func member(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        key(name)
        int(value)
    }

    /// Writes a key with an integer, or nothing for nil.
    package mutating func member(_ name: StaticString, _ value: Int?) { member(name, value.map(Int64.init)) }

    /// Writes a key with a number, or nothing for nil.
    package mutating func member(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        key(name)
        double(value)
    }

    /// Writes a key with a boolean, or nothing for nil.
    package mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bool(value)
    }

    /// Writes a key with a list of strings, or nothing for nil.
    package mutating func member(_ name: StaticString, _ values: [String]?) {
        guard let values else { return }
        key(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }
}
