internal import PostgresClient

/// Removes the stored values of fields whose type changes.
enum FieldValues {
    /// A field of a record type.
    struct Place: Hashable {
        let type: RecordTypeID
        let field: String
    }

    /// Removes every value of the given fields from an environment's records, along with the values' asset uses and
    /// references. Each statement scans the whole record table; this happens only in development.
    static func remove(_ places: [Place], in environment: EnvironmentRow) -> [PostgresCall] {
        places.flatMap { place in
            let parameters: [PostgresParameter] = [.int4(place.type.rawValue), .text(place.field)]
            return [
                PostgresCall(
                    PostgresStatement(
                        """
                        delete from \(environment.assetUseTable) u using \(environment.recordTable) r
                        where u.environment = r.environment and u.zone = r.zone and u.record = r.name
                            and r.record_type = $1 and u.field = $2
                        """), parameters),
                PostgresCall(
                    PostgresStatement(
                        """
                        delete from \(environment.referenceTable) l using \(environment.recordTable) r
                        where l.environment = r.environment and l.zone = r.zone and l.source = r.name
                            and r.record_type = $1 and l.field = $2
                        """), parameters),
                PostgresCall(
                    PostgresStatement(
                        """
                        update \(environment.recordTable) set fields = fields - $2 where record_type = $1 and fields ? $2
                        """), parameters),
            ]
        }
    }
}
