extension SchemaDefinition {
    /// Returns the schema's text in the layout of CloudKit's export, with names in one column and types in the next.
    /// Parsing the text returns an equal definition, and equal definitions have the same text.
    package func formatted() -> String {
        let roles = roles.map { "    CREATE ROLE \(SchemaName.spelled($0));\n" }.joined()
        let sections = ["DEFINE SCHEMA\n"] + (roles.isEmpty ? [] : [roles]) + recordTypes.map { $0.formatted() }
        return sections.joined(separator: "\n")
    }
}

extension RecordTypeDefinition {
    fileprivate func formatted() -> String {
        let names = fields.map { SchemaName.spelled($0.name) }
        let width = names.map(\.utf8.count).max() ?? 0
        let items = zip(names, fields).map { name, field in
            name + String(repeating: " ", count: width + 1 - name.utf8.count) + field.schemaSpelling
        }
        let lines = (items + grants.map(\.schemaSpelling)).map { "        \($0)" }
        return "    RECORD TYPE \(SchemaName.spelled(name)) (\n\(lines.joined(separator: ",\n"))\n    );\n"
    }
}
