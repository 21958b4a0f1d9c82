extension SchemaDefinition {
    /// Reads a text in CloudKit's schema language. What is returned is valid: there is nothing left to check.
    ///
    /// - Throws: one fault with its place: the first of grammar, or else one of what the text says.
    package init(parsing text: String) throws(SchemaError) {
        guard text.utf8.count <= SchemaLimits.maxTextBytes else {
            throw SchemaError("The text has more than \(SchemaLimits.maxTextBytes) bytes", at: SourcePosition())
        }
        var parser = try SchemaParser(text)
        let syntax = try parser.schema()
        try SchemaChecker.check(syntax)
        self.init(syntax)
    }
}
