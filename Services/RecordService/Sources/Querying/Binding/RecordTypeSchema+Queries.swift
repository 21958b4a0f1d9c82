internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

extension RecordTypeSchema: QueryableType {
    /// The type of a field; a hidden one is not there.
    func type(ofField name: String) -> FieldType? { fields[name] }

    /// The SEARCHABLE fields; where there are none, all texts.
    var fieldsOfWords: [SearchableField] {
        let marked = searchableFields
        return (marked.isEmpty ? fields.filter { $0.value.isSearched } : marked).sorted { $0.key < $1.key }
            .map { SearchableField(name: $0.key, type: $0.value) }
    }

    /// Whether words are searched in an index.
    var hasSearchableFields: Bool { !searchableFields.isEmpty }
}
