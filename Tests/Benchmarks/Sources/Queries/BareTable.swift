internal import ArgumentParser
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordService
internal import RecordStorage

/// The table that the bare program asks, in the words of its SQL.
struct BareTable: Sendable {
    /// Which one.
    enum Kind: String, CaseIterable, ExpressibleByArgument, Sendable {
        /// The service's own, with the service's indexes.
        case records
        /// ``PackageTable``.
        case packages
    }

    /// Which one.
    let kind: Kind
    /// The columns that an answer is made of, the record's name first.
    let answered: String
    /// What stands behind `from`, up to a condition that follows it.
    let source: String

    /// The table of that kind.
    ///
    /// - Throws: ``LimitFailure`` when there is no such zone or type, `PostgresError`.
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

    /// A field's value, as the table's index over it has it.
    func value(_ field: String, _ type: FieldType = .string) -> String {
        kind == .records ? FieldExpression.value(of: field, type: type) ?? "null" : "\"\(field)\""
    }

    /// That a text contains what `$1` says, whatever its case.
    func contains(in field: String) -> String {
        guard kind == .records else { return "lower(\"\(field)\") like $1" }
        let text = FieldExpression.text(of: field)
        // The index has no marks either; what it finds is looked at again.
        return "\(FieldExpression.substring(of: field)) like $1 and lower(\(text)) like $1"
    }

    /// That a list has an element.
    func has(_ element: String, in field: String) -> (sql: String, parameter: PostgresParameter) {
        kind == .records
            ? ("\(FieldExpression.elements(of: field)) @> $1", .jsonb(JSONValue.array([.string(element)]).encoded()))
            : ("\"\(field)\" @> $1", .textArray([element]))
    }
}
