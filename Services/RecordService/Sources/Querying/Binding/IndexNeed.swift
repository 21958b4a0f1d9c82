internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitSchema
internal import RecordStorage

/// The index that would speed up a comparison, a sort, or a walk over the records of a type.
struct IndexNeed {
    /// The field's name in error messages and warnings.
    let field: String
    /// The kinds of index (semantics 2.10). The field must declare at least one of them; empty if none is required.
    let kinds: FieldIndexes
    /// The PostgreSQL index; nil if no index could meet the need, or if none is necessary.
    let index: FieldIndex?
    /// Whether the index reduces the number of rows that must be read.
    var narrows = true
    /// Whether the need is always met, even without a dedicated index.
    var isGiven = false

    /// Creates the description of the index needed for a comparison.
    init(_ comparison: BoundComparison, of type: RecordTypeSchema) {
        switch comparison.operand {
        case .words:
            self.init(field: "self", kinds: .searchable, index: .words(of: type))
        case .system(let key): self.init(comparison, of: key, of: type)
        case .field(let name, let fieldType): self.init(comparison, of: name, fieldType, of: type)
        }
    }

    private init(field: String, kinds: FieldIndexes, index: FieldIndex?, narrows: Bool = true, isGiven: Bool = false) {
        self.field = field
        self.kinds = kinds
        self.index = index
        self.narrows = narrows
        self.isGiven = isGiven
    }

    private init(_ comparison: BoundComparison, of key: SystemKey, of type: RecordTypeSchema) {
        let kinds = comparison.test.kinds
        switch key {
        case .recordName:
            // The table's primary key contains the name.
            self.init(
                field: key.schemaName, kinds: kinds, index: nil, narrows: comparison.test.isOfOrder,
                isGiven: comparison.test.isOfOrder)
        case .parent:
            // The children of one record are found through the reference table. All other comparisons read the records
            // one by one.
            var isOfOne = false
            if case .relation(.equal, _) = comparison.test { isOfOne = true }
            self.init(field: key.schemaName, kinds: [], index: nil, narrows: isOfOne, isGiven: isOfOne)
        case .share:
            // In queries, the share of every record is null, so nothing has to be read.
            self.init(field: key.schemaName, kinds: [], index: nil, isGiven: true)
        case .createdTimestamp, .modifiedTimestamp, .createdUserRecordName, .modifiedUserRecordName:
            self.init(
                field: key.schemaName, kinds: kinds,
                index: FieldIndex(key.schemaName, key.type, .value, of: type),
                narrows: comparison.test.isOfOrder)
        }
    }

    private init(
        _ comparison: BoundComparison, of name: String, _ fieldType: FieldType, of type: RecordTypeSchema
    ) {
        func index(_ method: FieldIndex.Method) -> FieldIndex { FieldIndex(name, fieldType, method, of: type) }
        let kinds = comparison.test.kinds
        switch comparison.test {
        case .tokens: self.init(field: name, kinds: kinds, index: .words(of: type))
        case .distance(let relation, _, _):
            self.init(
                field: name, kinds: kinds, index: index(.place),
                narrows: relation == .less || relation == .lessOrEqual)
        case .containsAll: self.init(field: name, kinds: kinds, index: index(.elements))
        case .relation(.equal, _) where comparison.isAny, .oneOf where comparison.isAny:
            self.init(field: name, kinds: kinds, index: index(.elements))
        case .text(let text) where text.kind.isPrefix && text.options.isEmpty && comparison.isAny:
            // CloudKit supports this comparison (LIST_MEMBER_BEGINS_WITH), but PostgreSQL has no index for it, so all
            // records of the type are read.
            self.init(field: name, kinds: kinds, index: nil, narrows: false, isGiven: true)
        case _ where comparison.isAny: self.init(field: name, kinds: .searchable, index: nil, narrows: false)
        case .text(let text) where text.kind.isPrefix && text.options.isEmpty:
            self.init(field: name, kinds: kinds, index: index(.value))
        case .text(let text):
            let isNarrow = text.kind.longestLiteral.hasTrigrams
            self.init(field: name, kinds: .searchable, index: index(.substring), narrows: isNarrow)
        case .matches(let expression):
            self.init(
                field: name, kinds: .searchable, index: index(.substring),
                narrows: expression.requiredLiteral?.hasTrigrams == true)
        case .exists:
            self.init(field: name, kinds: kinds, index: nil, narrows: false, isGiven: true)
        default:
            self.init(
                field: name, kinds: kinds, index: index(.value), narrows: comparison.test.isOfOrder)
        }
    }

    /// Creates the description of the index needed for a query's first sort.
    init(sortedBy sort: BoundSort, of type: RecordTypeSchema) {
        switch sort.operand {
        case .system(.recordName):
            self.init(field: SystemKey.recordName.schemaName, kinds: .sortable, index: .names(of: type))
        case .system(let key):
            self.init(
                field: key.schemaName, kinds: .sortable, index: FieldIndex(key.schemaName, key.type, .value, of: type))
        case .field(let name, let fieldType):
            self.init(
                field: name, kinds: .sortable,
                index: FieldIndex(name, fieldType, sort.place == nil ? .value : .place, of: type))
        case .words: self.init(field: "self", kinds: .sortable, index: nil)
        }
    }

    /// Creates the description of the index needed to walk over a type's records by name.
    init(walking type: RecordTypeSchema) {
        self.init(field: SystemKey.recordName.schemaName, kinds: .queryable, index: .names(of: type))
    }

    /// Whether the schema declares one of ``kinds`` for the field.
    func isDeclared(in type: RecordTypeSchema) -> Bool {
        if kinds.isEmpty { return true }
        if field == "self" { return type.hasSearchableFields }
        return type.indexes[field].map { !$0.isDisjoint(with: kinds) } ?? false
    }
}

extension BoundTest {
    /// The kinds of index. At least one of them must be declared.
    var kinds: FieldIndexes {
        switch self {
        case .relation(.equal, _), .relation(.notEqual, _), .oneOf, .containsAll, .distance, .exists: .queryable
        case .relation, .between: .sortable
        case .text(let text) where text.kind.isPrefix && text.options.isEmpty: [.queryable, .sortable]
        case .text, .matches, .tokens: .searchable
        }
    }

    /// Whether a B-tree reduces the number of rows that the comparison reads.
    var isOfOrder: Bool {
        switch self {
        case .relation(let relation, _): relation != .notEqual
        case .between, .oneOf: true
        case .text(let text): text.kind.isPrefix && text.options.isEmpty
        default: false
        }
    }
}

extension TextTest.Kind {
    var isPrefix: Bool { if case .beginsWith = self { true } else { false } }

    var isContains: Bool { if case .contains = self { true } else { false } }

    /// The longest text that every match contains.
    var longestLiteral: String {
        switch self {
        case .equals(let text), .beginsWith(let text), .endsWith(let text), .contains(let text): text
        case .like(let pattern): pattern.literals.max { $0.unicodeScalars.count < $1.unicodeScalars.count } ?? ""
        case .notEquals, .oneOf: ""
        }
    }
}

extension String {
    /// Whether a trigram index on folded text can find the text. The text must contain three consecutive letters or
    /// digits and no combining marks. Folding removes such marks, but normalization can reorder them among the marks of
    /// the surrounding text.
    var hasTrigrams: Bool {
        var run = 0
        var longest = 0
        for scalar in unicodeScalars {
            let properties = scalar.properties
            guard properties.canonicalCombiningClass == .notReordered else { return false }
            run = properties.isAlphabetic || properties.numericType != nil ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest >= 3
    }
}

extension FieldIndex {
    init(_ field: String, _ fieldType: FieldType, _ method: Method, of type: RecordTypeSchema) {
        self.init(
            key: Key(recordType: type.id, field: field, method: method), type: fieldType,
            kinds: type.indexes[field] ?? [])
    }

    /// Returns the index on the words of a type's records.
    static func words(of type: RecordTypeSchema) -> FieldIndex {
        FieldIndex(FieldIndex.allTokens, .string, .words, of: type)
    }

    /// Returns the index on the names of a type's records.
    static func names(of type: RecordTypeSchema) -> FieldIndex {
        FieldIndex(SystemField.recordID.rawValue, SystemField.recordID.type, .value, of: type)
    }
}
