package import Foundation
package import ServiceMessages

/// A database of a container.
package struct DatabaseEntry: Sendable, Hashable {
    /// The row of the environment.
    package let environment: EnvironmentRow
    /// Whether the environment is `production`, whose schema is not extended by saves.
    package let isProduction: Bool
    /// The id of the database, `record.database.id`.
    package let id: Int64

    /// Creates an entry from its parts.
    package init(environment: EnvironmentRow, isProduction: Bool, id: Int64) {
        self.environment = environment
        self.isProduction = isProduction
        self.id = id
    }
}

/// A live zone as cached by the directory. The zone's row, read under its lock, is authoritative.
package struct ZoneEntry: Sendable, Hashable {
    /// The database that contains the zone.
    package let database: DatabaseEntry
    /// The row of the zone.
    package let row: ZoneRow
    /// The zone's incarnation. Notification ids are derived from it.
    package let incarnation: UUID
    /// The full name of the zone.
    package let address: ZoneAddress

    /// Creates an entry from its parts.
    package init(database: DatabaseEntry, row: ZoneRow, incarnation: UUID, address: ZoneAddress) {
        self.database = database
        self.row = row
        self.incarnation = incarnation
        self.address = address
    }
}
