/// The name of a record, unique in its zone whatever the record's type.
package struct RecordName: KeyName {
    /// The name as it stands on the wire and in storage; compared by its bytes.
    package let rawValue: String

    /// Accepts 1 to 255 bytes of UTF-8 without control characters.
    /// - Parameter allowsSystem: Whether a leading `_` passes. Users' records have such names, so references to
    ///   records may hold them, but a client cannot create one.
    /// - Throws: `ValidationError` naming the broken rule.
    package init(validating name: String, allowsSystem: Bool = false) throws(ValidationError) {
        try NameRules.checkFreeText(name, kind: .recordName)
        if !allowsSystem { try NameRules.checkNotReserved(name, kind: .recordName) }
        rawValue = name
    }

    /// Takes a name that was checked before, such as one read from storage. Nothing is checked here.
    package init(unchecked name: String) { rawValue = name }
}
