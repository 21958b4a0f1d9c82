internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

extension RecordTypeSchema: QueryableType {
    /// Returns the type of a field; nil if the field is hidden or does not exist.
    func type(ofField name: String) -> FieldType? { fields[name] }

    /// The SEARCHABLE fields; if there are none, all text fields.
    var fieldsOfWords: [SearchableField] {
        let marked = searchableFields
        return (marked.isEmpty ? fields.filter { $0.value.isSearched } : marked).sorted { $0.key < $1.key }
            .map { SearchableField(name: $0.key, type: $0.value) }
    }

    /// Whether a word index can be used for searches.
    var hasSearchableFields: Bool { !searchableFields.isEmpty }
}
