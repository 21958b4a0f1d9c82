internal import CloudKitModel

/// Converts values to the type of the field with which they are compared.
struct ComparedValues {
    private let operand: Operand
    private let recordType: String
    private let user: String

    init(_ operand: Operand, recordType: String, user: String) {
        self.operand = operand
        self.recordType = recordType
        self.user = user
    }

    /// Returns the error for a comparison that the field does not support.
    func refusal(_ why: String) -> ServerError { .notComparable(operand.name, why, recordType: recordType) }

    /// Binds a test of a single value.
    func test(_ test: Test) throws(ServerError) -> BoundTest {
        switch test {
        case .relation(let relation, let value, let options):
            if !options.isEmpty { return .text(try folded(relation, value, options)) }
            if relation != .equal, relation != .notEqual, !hasOrder { throw refusal("cannot be ordered") }
            return .relation(relation, try single(value))
        case .between(let low, let high):
            guard hasOrder else { throw refusal("cannot be ordered") }
            return .between(try single(low), try single(high))
        case .oneOf(let values, let options):
            let elements = try elements(values)
            guard !options.isEmpty else { return .oneOf(elements) }
            return .text(TextTest(kind: .oneOf(try texts(elements).map { fold($0, options) }), options: options))
        case .text(.matches, let pattern, let options): return .matches(try expression(pattern, options))
        case .text(let kind, let pattern, let options):
            guard isText else { throw refusal("is not a string") }
            return .text(TextTest(kind: self.kind(kind, pattern, options), options: options))
        case .contains(let value, let options):
            guard isText, case .string(let part) = value else { throw refusal("is neither a list nor a string") }
            return .text(TextTest(kind: .contains(fold(part, options)), options: options))
        case .distance(let relation, let location, let metres):
            guard base == .location else { throw refusal("is not a location") }
            return .distance(relation, location, metres: metres)
        case .containsAll, .tokens, .exists: throw refusal("has elements that cannot be compared this way")
        }
    }

    /// Binds a search for words.
    func tokens(_ words: String, _ coverage: Coverage) throws(ServerError) -> BoundTest {
        .tokens(Tokenizer.query(words), coverage)
    }

    /// Converts several values.
    func elements(_ values: [FieldValue]) throws(ServerError) -> [FieldValue] {
        var elements: [FieldValue] = []
        for value in values { elements.append(try single(value)) }
        return elements
    }

    private var base: FieldType.Base? { operand.type?.base }

    /// Whether the operand is compared as a string. This is true for strings and for record names.
    private var isText: Bool { base == .string || operand == .system(.recordName) }

    private var hasOrder: Bool {
        switch base {
        case .string, .int64, .double, .number, .timestamp: true
        default: operand == .system(.recordName)
        }
    }

    /// Converts a single value to the field's kind. A timestamp field can be compared with an integer, and a reference
    /// with a string that contains a record name.
    private func single(_ value: FieldValue) throws(ServerError) -> FieldValue {
        switch (base, value) {
        case (.string, .string), (.timestamp, .timestamp): return value
        case (.int64, .int64), (.int64, .double), (.double, .int64), (.double, .double), (.number, .int64),
            (.number, .double):
            return value
        case (.timestamp, .int64(let milliseconds)): return .timestamp(milliseconds)
        case (.reference, .reference(var reference)):
            if isUser, reference.recordName == "__defaultOwner__" {
                reference.recordName = RecordName(unchecked: user)
            }
            return .reference(Reference(recordName: reference.recordName, zoneID: isUser ? nil : reference.zoneID))
        case (.reference, .string(let name)):
            let target = isUser && name == "__defaultOwner__" ? user : name
            return .reference(Reference(recordName: RecordName(unchecked: target)))
        case (.location, _): throw refusal("is a location, which can only be compared by distance")
        case (.bytes, _), (.asset, _): throw refusal("contains bytes and cannot be queried")
        case (_, .list): throw .listForScalar(expected: expected, field: operand.name)
        default: throw .invalidValue(expected: expected, field: operand.name)
        }
    }

    private var expected: String { base.map { "\($0.wireName)" } ?? "STRING" }

    /// Whether the operand is a reference to a user.
    private var isUser: Bool {
        operand == .system(.createdUserRecordName) || operand == .system(.modifiedUserRecordName)
    }

    private func folded(_ relation: Relation, _ value: FieldValue, _ options: TextOptions) throws(ServerError)
        -> TextTest
    {
        guard isText, case .string(let text) = value else { throw refusal("is not a string and takes no options") }
        switch relation {
        case .equal: return TextTest(kind: .equals(fold(text, options)), options: options)
        case .notEqual: return TextTest(kind: .notEquals(fold(text, options)), options: options)
        default: throw refusal("takes options only with == and !=")
        }
    }

    private func texts(_ values: [FieldValue]) throws(ServerError) -> [String] {
        var texts: [String] = []
        for value in values {
            guard isText else { throw refusal("is not a string and takes no options") }
            switch value {
            case .string(let text): texts.append(text)
            case .reference(let reference): texts.append(reference.recordName.rawValue)
            default: throw refusal("is not a string and takes no options")
            }
        }
        return texts
    }

    private func fold(_ text: String, _ options: TextOptions) -> String { TextFolding.fold(text, options) }

    private func kind(_ kind: TextOperator, _ pattern: String, _ options: TextOptions) -> TextTest.Kind {
        switch kind {
        case .beginsWith: .beginsWith(fold(pattern, options))
        case .endsWith: .endsWith(fold(pattern, options))
        case .like, .matches: .like(WildcardPattern(pattern, options: options))
        }
    }

    private func expression(_ pattern: String, _ options: TextOptions) throws(ServerError) -> RegularExpression {
        guard isText else { throw refusal("is not a string") }
        do throws(RegularExpressionError) {
            return try RegularExpression(pattern, options: options)
        } catch {
            throw .regularExpressionInvalid(error.message, offset: error.offset, field: operand.name)
        }
    }
}
