extension SchemaDefinition {
    /// Creates a definition from text in CloudKit's schema language. The result is valid and needs no further checks.
    ///
    /// - Throws: The first grammar error or, if there is none, the first content error, with its position.
    package init(parsing text: String) throws(SchemaError) {
        guard text.utf8.count <= SchemaLimits.maxTextBytes else {
            throw SchemaError("The text is longer than \(SchemaLimits.maxTextBytes) bytes", at: SourcePosition())
        }
        var parser = try SchemaParser(text)
        let syntax = try parser.schema()
        try SchemaChecker.check(syntax)
        self.init(syntax)
    }
}
