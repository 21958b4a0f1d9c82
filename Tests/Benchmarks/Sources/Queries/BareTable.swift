internal import ArgumentParser
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordService
internal import RecordStorage

/// The table that the bare program queries, with the parts of its SQL.
struct BareTable: Sendable {
    /// The kind of table.
    enum Kind: String, CaseIterable, ExpressibleByArgument, Sendable {
        /// The service's own table, with the service's indexes.
        case records
        /// ``PackageTable``.
        case packages
    }

    /// The kind of this table.
    let kind: Kind
    /// The columns of an answer, the record's name first.
    let answered: String
    /// The SQL after `from`, up to the condition.
    let source: String

    /// Creates a table of the given kind.
    ///
    /// - Throws: ``LimitFailure`` if there is no such zone or type; `PostgresError`.
    init(_ kind: Kind, zone: String, recordType: String) async throws {
        self.kind = kind
        guard kind == .records else {
            (answered, source) = (PackageTable.answered, "\(PackageTable.name) where true")
            return
        }
        answered = """
            name, fields, record_type, change_tag, parent, created_at, created_by, created_device, modified_at, \
            modified_by, modified_device
            """
        source = try await LimitEnvironment.withServicePool(connections: 1) { pool in
            let zone = try await ReadZone(name: zone, recordCount: 0, sizeBytes: 0).row(over: pool)
            let environment = zone.database.environment
            let types = try await pool.withConnection {
                try await $0.query(
                    "select id from record.record_type where environment = $1 and name = $2",
                    [.int4(environment.rawValue), .text(recordType)])
            }
            guard let type = types.first else { throw LimitFailure("there is no type '\(recordType)'") }
            let ofType = FieldExpression.records(of: RecordTypeID(type.int32(0)))
            return "\(environment.recordTable) where zone = \(zone.row.rawValue) and \(ofType)"
        }
    }

    /// Returns the SQL expression of a field's value, as in the table's index on the field.
    func value(_ field: String, _ type: FieldType = .string) -> String {
        kind == .records ? FieldExpression.value(of: field, type: type) ?? "null" : "\"\(field)\""
    }

    /// Returns the condition that a text contains `$1`, ignoring case.
    func contains(in field: String) -> String {
        guard kind == .records else { return "lower(\"\(field)\") like $1" }
        let text = FieldExpression.text(of: field)
        // The index ignores accents too, so the records that it finds are checked again.
        return "\(FieldExpression.substring(of: field)) like $1 and lower(\(text)) like $1"
    }

    /// Returns the condition that a list contains an element.
    func has(_ element: String, in field: String) -> (sql: String, parameter: PostgresParameter) {
        kind == .records
            ? ("\(FieldExpression.elements(of: field)) @> $1", .jsonb(JSONValue.array([.string(element)]).encoded()))
            : ("\"\(field)\" @> $1", .textArray([element]))
    }
}
