/// The values of a record's fields, and which of them have changed since the record was fetched or saved.
struct RecordFields {
    private(set) var values: [String: FieldContent] = [:]
    /// The former values of the fields that have changed.
    private(set) var former: [String: FieldContent?] = [:]

    /// The names of the fields that have changed. A field that was absent and is absent again has not changed.
    var changedKeys: [String] {
        former.filter { values[$0.key] != nil || $0.value.isSome }.map(\.key)
    }

    /// Changes a field.
    mutating func set(_ key: String, to content: FieldContent?) {
        if former[key] == nil { former.updateValue(values[key], forKey: key) }
        values[key] = content
    }

    /// Replaces all values by those of the server.
    mutating func adopt(_ values: [String: FieldContent]) {
        self.values = values
        former = [:]
    }

    /// Takes the present values as those of the server.
    mutating func wereSaved() { former = [:] }

    /// The fields as they were when the record was fetched or saved.
    var ancestor: RecordFields {
        var ancestor = self
        for (key, value) in former { ancestor.values[key] = value }
        ancestor.former = [:]
        return ancestor
    }

    /// Creates fields from an archive.
    init(values: [String: FieldContent] = [:], former: [String: FieldContent?] = [:]) {
        (self.values, self.former) = (values, former)
    }
}

extension Optional {
    fileprivate var isSome: Bool { if case .some = self { true } else { false } }
}
