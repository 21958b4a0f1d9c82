extension SchemaDefinition {
    /// A sentence for each thing that the schema may say and that has no effect, in the order in which types and fields are
    /// printed: indexes that are declared and not kept.
    package var warnings: [String] {
        recordTypes.flatMap { type in
            type.fields.compactMap { field in
                let idle = field.indexes.subtracting(field.type.possibleIndexes)
                guard !idle.isEmpty else { return nil }
                return "No index is kept for the field '\(field.name)' of '\(type.name)': queries cannot compare "
                    + "\(field.type.schemaSpelling), and \(idle.keywords.joined(separator: " ")) has no effect"
            }
        }
    }
}
