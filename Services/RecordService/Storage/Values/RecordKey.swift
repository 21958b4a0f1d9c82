package import CloudKitModel

/// A record in the store: its zone's row and its name.
package struct RecordKey: Sendable, Hashable {
    /// The zone.
    package let zone: ZoneRow
    /// The record's name.
    package let name: RecordName

    /// The record of that name in that zone.
    package init(zone: ZoneRow, name: RecordName) {
        self.zone = zone
        self.name = name
    }
}
