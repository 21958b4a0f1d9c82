internal import CloudKitModel
internal import CloudKitQuery
package import CloudKitWire

extension RecordTypeSchema {
    /// Returns the words by which searches find a record, without duplicates and in the form stored in the `tokens`
    /// column; nil for deleted records and for types without a word index. No word exceeds the maximum size of an index
    /// entry (2,700 bytes).
    package func tokens(of fields: StoredFields?) -> [String]? {
        guard !tokenFields.isEmpty, let fields else { return nil }
        var texts: [String] = []
        for field in tokenFields {
            guard let type = self.fields[field], let value = try? fields.value(field, as: type) else { continue }
            switch value {
            case .string(let text): texts.append(text)
            case .list(let values, _): for case .string(let text) in values { texts.append(text) }
            default: break
            }
        }
        // The strings are split together, so that each word is returned only once. A line feed always ends a word.
        return Tokenizer.words(in: texts.count == 1 ? texts[0] : texts.joined(separator: "\n"))
    }
}
