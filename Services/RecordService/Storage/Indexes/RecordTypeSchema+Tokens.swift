internal import CloudKitModel
internal import CloudKitQuery
package import CloudKitWire

extension RecordTypeSchema {
    /// The words by which a record is found, each once, as `record.tokens` has them; nil where none are kept: of deleted
    /// records, and of types without an index over words. None is longer than an entry of an index may be (2,700 bytes).
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
        // Together, since that makes each word one; a new line ends every word.
        return Tokenizer.words(in: texts.count == 1 ? texts[0] : texts.joined(separator: "\n"))
    }
}
