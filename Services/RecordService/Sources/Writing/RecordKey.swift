/// A record in the store: its zone's row and its name, which is compared by its bytes, as the database compares it: two
/// spellings that look the same are two names (semantics 2.1).
package struct RecordKey: Sendable, Hashable {
    /// The zone.
    package let zone: ZoneRow
    /// The record's name.
    package let name: String

    /// The record of that name in that zone.
    package init(zone: ZoneRow, name: String) {
        self.zone = zone
        self.name = name
    }

    /// Whether zone and bytes are the same.
    package static func == (one: RecordKey, other: RecordKey) -> Bool {
        one.zone == other.zone && one.name.hasSameBytes(as: other.name)
    }
}

extension String {
    /// Whether the texts are the same without regard to what Unicode takes for the same. (Texts that are the same in this
    /// sense have the same hash.)
    func hasSameBytes(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
