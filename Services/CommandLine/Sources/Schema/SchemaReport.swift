import CloudKitSchema
import CloudKitWire
import CommandLineSession

/// The output of commands about schemas.
enum SchemaReport {
    /// Returns one line for each change in an answer with `changes`.
    static func changes(_ answer: JSONValue) -> [String] {
        let changes = answer["changes"]?.array ?? []
        return changes.isEmpty ? ["no differences"] : changes.map { $0["text"]?.string ?? $0.text }
    }

    /// Returns a comparison in the form of services' answers.
    static func json(_ diff: SchemaDiff, warnings: [String]) -> JSONValue {
        let changes = diff.changes.map { change in
            JSONValue.object(having: [
                ("change", .string(change.kind)),
                ("recordType", change.recordType.map { .string($0) }),
                ("field", change.field.map { .string($0) }),
                ("role", change.role.map { .string($0) }),
                ("text", .string(change.description)),
            ])
        }
        return ["changes": .array(changes), "warnings": .array(warnings.map { .string($0) })]
    }

    /// Prints an answer with `changes`: as JSON, or as one line for each change, with warnings on standard error.
    static func show(_ answer: JSONValue, asJSON: Bool) {
        guard !asJSON else { return Console.print(answer.text) }
        for line in changes(answer) { Console.print(line) }
        warn(answer)
    }

    /// Reports an answer's `warnings` on standard error.
    static func warn(_ answer: JSONValue) {
        for warning in answer["warnings"]?.array ?? [] { Console.report("warning: \(warning.string ?? "")") }
    }

    /// Returns the indexes as a table: type, field, kind, state, progress, size in bytes, number of uses, and last
    /// error.
    static func indexes(_ status: JSONValue) -> [String] {
        var table = TextTable()
        table.add("TYPE", "FIELD", "KIND", "STATE", "PROGRESS", "BYTES", "USES", "")
        for index in status["indexes"]?.array ?? [] {
            let progress = index["progress"]?.double.map { "\(Int($0 * 100)) %" }
            table.add(
                index["recordType"]?.string ?? "", index["field"]?.string ?? "", index["kind"]?.string ?? "",
                index["state"]?.string ?? "", progress ?? "", (index["bytes"]?.int ?? 0).grouped,
                (index["scans"]?.int ?? 0).grouped, index["lastError"]?.string ?? "")
        }
        return table.lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Returns a role and its users as a line.
    static func role(_ role: JSONValue) -> String {
        let users = (role["users"]?.array ?? []).compactMap(\.string)
        return ([role["role"]?.string ?? ""] + users).joined(separator: "  ")
    }
}
