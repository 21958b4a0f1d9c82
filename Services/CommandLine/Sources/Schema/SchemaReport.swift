import CloudKitSchema
import CloudKitWire
import CommandLineSession
import OperatorMessages

/// Changes to a schema, with warnings about the new schema.
protocol SchemaChangeReport: Encodable {
    /// The changes.
    var changes: [SchemaChangeDescription] { get }
    /// The warnings, one sentence each.
    var warnings: [String] { get }
}

extension SchemaChangeAnswer: SchemaChangeReport {}

/// The differences between two schemas.
struct SchemaComparison: SchemaChangeReport {
    let changes: [SchemaChangeDescription]
    let warnings: [String]

    /// Compares two schemas.
    init(from old: SchemaDefinition, to new: SchemaDefinition) {
        changes = SchemaDiff(from: old, to: new).changes.map(SchemaChangeDescription.init)
        warnings = new.warnings
    }
}

/// The output of the schema commands.
enum SchemaReport {
    /// Returns one line for each change.
    static func lines(_ changes: [SchemaChangeDescription]) -> [String] {
        changes.isEmpty ? ["no differences"] : changes.map(\.text)
    }

    /// Prints changes: as JSON, or as one line for each change, with warnings on standard error.
    static func show(_ report: some SchemaChangeReport, asJSON: Bool) {
        guard !asJSON else { return Console.print(JSONValue(encoding: report).text) }
        for line in lines(report.changes) { Console.print(line) }
        warn(report.warnings)
    }

    /// Reports warnings on standard error.
    static func warn(_ warnings: [String]) {
        for warning in warnings { Console.report("warning: \(warning)") }
    }

    /// Returns the indexes as a table: type, field, kind, state, progress, size in bytes, number of uses, and last
    /// error.
    static func indexes(_ indexes: [SchemaStatusRequest.Index]) -> [String] {
        var table = TextTable()
        table.add("TYPE", "FIELD", "KIND", "STATE", "PROGRESS", "BYTES", "USES", "")
        for index in indexes {
            table.add(
                index.recordType, index.field, index.kind, index.state, "\(Int(index.progress * 100)) %",
                index.bytes.grouped, index.scans.grouped, index.lastError ?? "")
        }
        return table.lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Returns a role and its users as a line.
    static func role(_ role: RoleMembership) -> String { ([role.role] + role.users).joined(separator: "  ") }
}
