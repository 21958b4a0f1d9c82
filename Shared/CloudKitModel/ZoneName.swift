/// The name of a record zone, unique per owner in a database.
package struct ZoneName: KeyName {
    /// The name as it stands on the wire and in storage; compared by its bytes.
    package let rawValue: String

    /// Accepts 1 to 255 bytes of UTF-8 without control characters; with a leading `_` only `_defaultZone`.
    /// - Throws: `ValidationError` naming the broken rule.
    package init(validating name: String) throws(ValidationError) {
        try NameRules.checkFreeText(name, kind: .zoneName)
        if name != Self.defaultZone.rawValue { try NameRules.checkNotReserved(name, kind: .zoneName) }
        rawValue = name
    }

    /// Takes a name that was checked before, such as one read from storage. Nothing is checked here.
    package init(unchecked name: String) { rawValue = name }

    /// The zone every public and private database has; it has no change feed and no atomic saves.
    package static let defaultZone = ZoneName(unchecked: "_defaultZone")
}
