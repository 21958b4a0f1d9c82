package import CloudKitModel
package import PostgresClient

/// Records of a zone from one snapshot of the database, along with the state of the zone and a schema that covers the
/// records.
package struct ZoneSnapshot: Sendable {
    /// The zone.
    package let zone: ZoneEntry
    /// The state of the zone.
    package let state: ZoneState
    /// The schema of the zone's environment, which includes every type and field of the records.
    package let schema: SchemaSnapshot
    /// The records whose fields were read, including tombstones, in the order in which the statement returned them.
    package let records: [StoredRecord]
    /// The names of the records whose fields were left out because the read would have grown too large.
    package let omitted: [RecordName]
    /// The results of the statements.
    package let results: [PostgresResult]
}
