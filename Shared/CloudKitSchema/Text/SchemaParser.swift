internal import CloudKitModel

/// A recursive-descent parser for CloudKit's schema language, with one method for each rule of the grammar (see
/// `CloudKitSchema.docc`). Keywords are case-insensitive; names are case-sensitive.
struct SchemaParser {
    private var lexer: SchemaLexer
    private var token: SchemaToken

    /// Creates a parser at the first token of `text`.
    init(_ text: String) throws(SchemaError) {
        lexer = SchemaLexer(text)
        token = try lexer.next()
    }

    /// `"DEFINE" "SCHEMA" { statement ";" }`
    mutating func schema() throws(SchemaError) -> SchemaSyntax {
        // This text is CloudKit's own; tools search for it.
        guard token.isKeyword("DEFINE") else { throw SchemaError("Was expecting DEFINE", at: token.position) }
        try advance()
        try keyword("SCHEMA")
        var schema = SchemaSyntax()
        while token.kind != .end {
            if try skip(keyword: "CREATE") {
                try keyword("ROLE")
                schema.roles.append(try name("the role's name"))
            } else if try skip(keyword: "RECORD") {
                schema.recordTypes.append(try recordType())
            } else {
                throw unexpected("CREATE ROLE or RECORD TYPE")
            }
            try symbol(";")
        }
        return schema
    }

    /// `"TYPE" name "(" [ item { "," item } [","] ] ")"`
    private mutating func recordType() throws(SchemaError) -> SchemaSyntax.RecordType {
        try keyword("TYPE")
        var type = SchemaSyntax.RecordType(name: try name("the record type's name"))
        try symbol("(")
        while !(try skip(symbol: ")")) {
            if try skip(keyword: "GRANT") { type.grants.append(try grant()) } else { type.fields.append(try field()) }
            if try skip(symbol: ",") { continue }
            guard isAt(symbol: ")") else { throw unexpected("',' or ')'") }
        }
        return type
    }

    /// `permission { "," permission } "TO" name`
    private mutating func grant() throws(SchemaError) -> SchemaSyntax.Grant {
        var permissions: [SchemaSyntax.Keyword<Permissions>] = []
        repeat {
            guard let known = Permissions.keywords.first(where: { token.isKeyword($0.keyword) }) else {
                throw unexpected("READ, CREATE or WRITE")
            }
            permissions.append(SchemaSyntax.Keyword(meaning: known.permission, position: token.position))
            try advance()
        } while try skip(symbol: ",")
        try keyword("TO")
        return SchemaSyntax.Grant(permissions: permissions, role: try name("a role's name"))
    }

    /// `name type { "QUERYABLE" | "SORTABLE" | "SEARCHABLE" }`
    private mutating func field() throws(SchemaError) -> SchemaSyntax.Field {
        let name = try name("a field's name")
        let position = token.position
        var field = SchemaSyntax.Field(name: name, type: SchemaSyntax.Keyword(meaning: try type(), position: position))
        while let known = FieldIndexes.keywords.first(where: { token.isKeyword($0.keyword) }) {
            field.indexes.append(SchemaSyntax.Keyword(meaning: known.index, position: token.position))
            try advance()
        }
        return field
    }

    /// `primitive | "LIST" "<" primitive ">"`, and `"ENCRYPTED" "LIST" "<" … ">"`, which occurs in some copies of
    /// Apple's documentation.
    private mutating func type() throws(SchemaError) -> FieldType {
        let isEncrypted = try skip(keyword: "ENCRYPTED")
        guard try skip(keyword: "LIST") else { return try primitive(isEncrypted: isEncrypted, isElement: false) }
        try symbol("<")
        let isElementEncrypted = isEncrypted ? false : try skip(keyword: "ENCRYPTED")
        var type = try primitive(isEncrypted: isEncrypted || isElementEncrypted, isElement: true)
        type.isList = true
        try symbol(">")
        return type
    }

    /// A base type, with its preference if it is `NUMBER`. A `NUMBER` cannot be encrypted or be a list element.
    private mutating func primitive(isEncrypted: Bool, isElement: Bool) throws(SchemaError) -> FieldType {
        let isPlainAndSingle = !isEncrypted && !isElement
        let known = FieldType.Base.allCases.first { base in
            token.isKeyword(base.schemaKeyword)
                && (!isEncrypted || base.canBeEncrypted) && (base != .number || isPlainAndSingle)
        }
        guard let known else { throw unexpected(isEncrypted ? "a type that can be encrypted" : "a type") }
        try advance()
        guard known == .number, try skip(keyword: "PREFERRED") else {
            return FieldType(known, isEncrypted: isEncrypted)
        }
        try keyword("AS")
        if try skip(keyword: "INT64") { return .number(preferredAs: .int64) }
        if try skip(keyword: "DOUBLE") { return .number(preferredAs: .double) }
        throw unexpected("INT64 or DOUBLE")
    }

    /// A name, quoted or not. Reserved words and system names must be quoted.
    private mutating func name(_ expected: String) throws(SchemaError) -> SchemaSyntax.Name {
        switch token.kind {
        case .quoted: break
        case .word where SchemaName.needsNoQuotes(token.text): break
        default: throw unexpected(expected)
        }
        let name = SchemaSyntax.Name(text: token.text, position: token.position)
        try advance()
        return name
    }
}

extension SchemaParser {
    private mutating func advance() throws(SchemaError) { token = try lexer.next() }

    private mutating func keyword(_ keyword: String) throws(SchemaError) {
        guard try skip(keyword: keyword) else { throw unexpected(keyword) }
    }

    private mutating func symbol(_ symbol: String) throws(SchemaError) {
        guard try skip(symbol: symbol) else { throw unexpected("'\(symbol)'") }
    }

    private mutating func skip(keyword: String) throws(SchemaError) -> Bool {
        guard token.isKeyword(keyword) else { return false }
        try advance()
        return true
    }

    private mutating func skip(symbol: String) throws(SchemaError) -> Bool {
        guard isAt(symbol: symbol) else { return false }
        try advance()
        return true
    }

    private func isAt(symbol: String) -> Bool { token.kind == .symbol && token.text == symbol }

    private func unexpected(_ expected: String) -> SchemaError {
        SchemaError("Encountered \(token.quotedText), was expecting \(expected)", at: token.position)
    }
}
