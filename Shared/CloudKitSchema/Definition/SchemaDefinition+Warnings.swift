extension SchemaDefinition {
    /// The warnings: one sentence for each declaration of an index that the field's type cannot have. Such a
    /// declaration has no effect. The sentences are in the printing order of types and fields.
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
