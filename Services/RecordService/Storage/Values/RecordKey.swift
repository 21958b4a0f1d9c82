package import CloudKitModel

/// The identity of a record in the store: the row of its zone, and its name.
package struct RecordKey: Sendable, Hashable {
    /// The row of the zone.
    package let zone: ZoneRow
    /// The record's name.
    package let name: RecordName

    /// Creates a key from its parts.
    package init(zone: ZoneRow, name: RecordName) {
        self.zone = zone
        self.name = name
    }
}
