/// The name of a record zone, unique per owner in a database.
package struct ZoneName: KeyName {
    /// The name on the wire and in storage; compared by its bytes.
    package let rawValue: String

    /// Creates a name after checking it. Accepts 1 to 255 bytes of UTF-8 without control characters. The only name
    /// with a leading `_` that it accepts is `_defaultZone`.
    /// - Throws: `ValidationError` for the violated rule.
    package init(validating name: String) throws(ValidationError) {
        try NameRules.checkFreeText(name, kind: .zoneName)
        if name != Self.defaultZone.rawValue { try NameRules.checkNotReserved(name, kind: .zoneName) }
        rawValue = name
    }

    /// Creates a name without checks, for names that have already been checked, such as those read from storage.
    package init(unchecked name: String) { rawValue = name }

    /// The zone that every public and private database has. Saves in it are never atomic, and in the ``Profile/compat``
    /// profile it has no change feed.
    package static let defaultZone = ZoneName(unchecked: "_defaultZone")
}
