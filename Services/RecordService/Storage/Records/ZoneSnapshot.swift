package import CloudKitModel
internal import PostgresClient

/// Records of a zone as one snapshot of the database has them, with the state of the zone and the schema by which they
/// were written.
package struct ZoneSnapshot: Sendable {
    /// The zone.
    package let zone: ZoneEntry
    /// The state of the zone.
    package let state: ZoneState
    /// The schema of the zone's environment, with every type and field of the records.
    package let schema: SchemaSnapshot
    /// The records whose fields were read, tombstones included, in the order of the statement.
    package let records: [StoredRecord]
    /// The records whose fields were left out because the read would have grown too large.
    package let omitted: [RecordName]
}
