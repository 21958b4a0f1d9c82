internal import CloudKitModel
internal import CloudKitQuery
internal import Foundation

/// The evaluation of predicates on objects in memory, with the same results as on the server.
enum PredicateEvaluation {
    /// CKCurrentUserDefaultName, which the owner of a record in memory has as its name.
    private static let currentUser = "__defaultOwner__"

    /// Returns whether the object matches. An object without fields matches nothing.
    static func matches(_ predicate: NSPredicate, _ object: Any?) -> Bool {
        let subject = object as? any PredicateSubject ?? (object as? [String: Any]).map { $0 as NSDictionary }
        guard let subject, let predicate = try? QueryPredicate.predicate(of: predicate) else { return false }
        let fields = EvaluatedFields(subject)
        let binder = PredicateBinder(EvaluatedType(fields, predicate), user: currentUser)
        guard let bound = try? binder.bind(predicate) else { return false }
        return bound.matches(fields)
    }
}

/// The fields of an object. A value with which nothing can be compared counts as absent.
private struct EvaluatedFields {
    var values: [String: FieldValue] = [:]

    init(_ subject: any PredicateSubject) {
        for key in Set(subject.predicateKeys).union(SystemKey.allCases.map(\.predicateName)) {
            guard let object = subject.predicateValue(forKey: key) else { continue }
            values[key] = try? PredicateConstant.value(object)
        }
    }

    fileprivate func name(_ key: SystemKey) -> String? {
        switch values[key.predicateName] {
        case .reference(let reference)?: reference.recordName.rawValue
        case .string(let text)?: text
        default: nil
        }
    }

    fileprivate func time(_ key: SystemKey) -> Int64 {
        if case .timestamp(let milliseconds)? = values[key.predicateName] { milliseconds } else { 0 }
    }
}

extension EvaluatedFields: QueryableRecord {
    var recordName: String { name(.recordName) ?? "" }
    var zoneName: String {
        guard case .reference(let reference)? = values[SystemKey.recordName.predicateName] else {
            return ZoneName.defaultZone.rawValue
        }
        return reference.zoneID?.zoneName.rawValue ?? ZoneName.defaultZone.rawValue
    }
    var createdTimestamp: Int64 { time(.createdTimestamp) }
    var modifiedTimestamp: Int64 { time(.modifiedTimestamp) }
    var createdUserRecordName: String { name(.createdUserRecordName) ?? "" }
    var modifiedUserRecordName: String { name(.modifiedUserRecordName) ?? "" }
    var parentRecordName: String? { name(.parent) }

    func value(ofField name: String, as type: FieldType) -> FieldValue? { values[name] }
}

/// The type of an object's fields. A field that the object lacks has the type of the value with which it is compared.
private struct EvaluatedType: QueryableType {
    let name = "object"
    private var types: [String: FieldType] = [:]

    init(_ fields: EvaluatedFields, _ predicate: CloudKitQuery.Predicate) {
        add(predicate)
        for (name, value) in fields.values { types[name] = value.type ?? .list(.string) }
    }

    func type(ofField name: String) -> FieldType? { types[name] }

    var fieldsOfWords: [SearchableField] {
        types.filter { $0.value.base == .string }.sorted { $0.key < $1.key }
            .map { SearchableField(name: $0.key, type: $0.value) }
    }

    private mutating func add(_ predicate: CloudKitQuery.Predicate) {
        switch predicate {
        case .and(let parts), .or(let parts): for part in parts { add(part) }
        case .not(let part): add(part)
        case .comparison(let comparison):
            guard case .field(let name) = comparison.key else { return }
            var type = comparison.test.comparedType
            if comparison.quantifier == .any { type.isList = true }
            types[name] = type
        }
    }
}

extension CloudKitQuery.Test {
    /// The type of the fields that the test suits.
    fileprivate var comparedType: FieldType {
        switch self {
        case .relation(_, let value, _), .between(let value, _): value.type ?? .string
        case .oneOf(let values, _): values.first?.type ?? .string
        case .containsAll(let values): .list(values.first?.type?.base ?? .string)
        case .contains(let value, _): .list(value.type?.base ?? .string)
        case .text, .tokens, .exists: .string
        case .distance: .location
        }
    }
}
