/// The values of a record's fields, and which of them have changed since the record was fetched or saved.
struct RecordFields {
    private(set) var values: [String: FieldContent] = [:]
    /// The former values of the fields that have changed.
    private(set) var former: [String: FieldContent?] = [:]

    /// Whether a field that is absent here is absent on the server too, as in a record that has never been saved.
    private(set) var isComplete = true
    /// Counts the changes. A save names the number of the last change that it contains.
    private(set) var changeNumber = 0
    private var numbers: [String: Int] = [:]

    /// The names of the fields that have changed. In a record that has never been saved, a field that is absent again has
    /// not changed.
    var changedKeys: [String] {
        former.filter { !isComplete || values[$0.key] != nil || $0.value.isSome }.map(\.key)
    }

    /// Changes a field.
    mutating func set(_ key: String, to content: FieldContent?) {
        if former[key] == nil { former.updateValue(values[key], forKey: key) }
        values[key] = content
        changeNumber += 1
        numbers[key] = changeNumber
    }

    /// Replaces all values by those of the server.
    mutating func adopt(_ values: [String: FieldContent]) {
        self.values = values
        former = [:]
        isComplete = false
    }

    /// Takes the values as those of the server, except those that changed after the change with a number.
    mutating func wereSaved(upTo number: Int) {
        former = former.filter { numbers[$0.key, default: 0] > number }
        isComplete = false
    }

    /// The fields as they were when the record was fetched or saved.
    var ancestor: RecordFields {
        var ancestor = self
        for (key, value) in former { ancestor.values[key] = value }
        ancestor.former = [:]
        return ancestor
    }

    /// Creates fields from an archive.
    init(values: [String: FieldContent] = [:], former: [String: FieldContent?] = [:], isComplete: Bool = true) {
        (self.values, self.former, self.isComplete) = (values, former, isComplete)
    }
}

extension Optional {
    fileprivate var isSome: Bool { if case .some = self { true } else { false } }
}
