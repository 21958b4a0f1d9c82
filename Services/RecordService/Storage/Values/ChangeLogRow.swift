package import Foundation
package import ServiceMessages

/// A row of `record.change`: a run of consecutive changes that one client made in a zone in one transaction, or a piece
/// of such a run.
package struct ChangeLogRow: Sendable {
    /// The row of the zone.
    package var zone: ZoneRow
    /// The zone's incarnation.
    package var incarnation: UUID
    /// The number of the first change.
    package var fromSeq: Int64
    /// The number of the last change.
    package var toSeq: Int64
    /// The client that made the changes, if known.
    package var client: String?
    /// The user who made the changes.
    package var user: String
    /// The time of the changes, in milliseconds since 1970.
    package var at: Int64
    /// The changes as a JSON array, exactly as in events.
    package var records: [UInt8]

    /// Creates a row from its parts.
    package init(
        zone: ZoneRow, incarnation: UUID, fromSeq: Int64, toSeq: Int64, client: String?, user: String, at: Int64,
        records: [UInt8]
    ) {
        self.zone = zone
        self.incarnation = incarnation
        self.fromSeq = fromSeq
        self.toSeq = toSeq
        self.client = client
        self.user = user
        self.at = at
        self.records = records
    }

    /// Returns the rows for one run: usually one row, or several if the changes do not fit into one event. A row is
    /// therefore never much larger than a record.
    package static func rows(
        of changes: [ChangedRecord], in zone: ZoneRow, incarnation: UUID, client: String?, user: String, at: Int64
    ) -> [ChangeLogRow] {
        ChangedRecord.pieces(changes[...], maxBytes: ChangeEvent.maxRecordsBytes).map { piece in
            ChangeLogRow(
                zone: zone, incarnation: incarnation, fromSeq: piece.changes.first?.seq ?? 0,
                toSeq: piece.changes.last?.seq ?? 0, client: client, user: user, at: at, records: piece.json)
        }
    }
}
