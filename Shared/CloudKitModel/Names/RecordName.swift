/// The name of a record, unique within its zone across all record types.
package struct RecordName: KeyName {
    /// The name on the wire and in storage; compared by its bytes.
    package let rawValue: String

    /// Creates a name after checking it. Accepts 1 to 255 bytes of UTF-8 without control characters.
    /// - Parameter allowsSystem: Whether a leading `_` is allowed. User records have such names, so references can
    ///   contain them, but clients cannot create user records.
    /// - Throws: `ValidationError` for the violated rule.
    package init(validating name: String, allowsSystem: Bool = false) throws(ValidationError) {
        try NameRules.checkFreeText(name, kind: .recordName)
        if !allowsSystem { try NameRules.checkNotReserved(name, kind: .recordName) }
        rawValue = name
    }

    /// Creates a name without checks, for names that have already been checked, such as those read from storage.
    package init(unchecked name: String) { rawValue = name }
}
