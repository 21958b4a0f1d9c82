package import CloudKitModel

/// Binds predicates to the fields of a record type.
package struct PredicateBinder<RecordType: QueryableType> {
    private let recordType: RecordType
    private let user: String
    private let hiddenKeys: Set<SystemKey>

    /// Creates a binder for `recordType`.
    ///
    /// - Parameter user: The user of the request. `__defaultOwner__` denotes this user in comparisons with user
    ///   records.
    /// - Parameter hiddenKeys: The system fields that the user cannot query.
    package init(_ recordType: RecordType, user: String, hiddenKeys: Set<SystemKey> = []) {
        self.recordType = recordType
        self.user = user
        self.hiddenKeys = hiddenKeys
    }

    /// Binds a predicate to the fields of the record type.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the invalid field or says which of the ``QueryLimits`` is exceeded.
    package func bind(_ predicate: Predicate) throws(ServerError) -> BoundPredicate {
        try PredicateSize(predicate).check()
        return try bound(predicate)
    }

    /// Returns the operand of a sort or an aggregate.
    ///
    /// - Throws: `BAD_REQUEST` if the type has no such field, or if the field is encrypted or hidden from the user.
    package func operand(_ key: QueryKey) throws(ServerError) -> Operand {
        switch key {
        case .field(let name):
            guard let type = recordType.type(ofField: name) else {
                throw .fieldNotFound(name, recordType: recordType.name)
            }
            guard !type.isEncrypted else {
                throw .notComparable(name, "is encrypted and cannot be queried", recordType: recordType.name)
            }
            return .field(name, type)
        case .system(let key):
            guard !hiddenKeys.contains(key) else {
                throw .notComparable(
                    key.schemaName, "is hidden from participants and cannot be queried", recordType: recordType.name)
            }
            return .system(key)
        case .allTokens: return .words(recordType.fieldsOfWords)
        }
    }

    private func bound(_ predicate: Predicate) throws(ServerError) -> BoundPredicate {
        switch predicate {
        case .and(let predicates): return .and(try bound(predicates))
        case .or(let predicates): return .or(try bound(predicates))
        case .not(let predicate): return .not(try bound(predicate))
        case .comparison(let comparison): return try bound(comparison)
        }
    }

    private func bound(_ predicates: [Predicate]) throws(ServerError) -> [BoundPredicate] {
        var bound: [BoundPredicate] = []
        for predicate in predicates { bound.append(try self.bound(predicate)) }
        return bound
    }

    private func bound(_ comparison: Comparison) throws(ServerError) -> BoundPredicate {
        let operand = try operand(comparison.key)
        let values = ComparedValues(operand, recordType: recordType.name, user: user)
        guard let type = operand.type else {
            guard case .tokens(let words, let coverage) = comparison.test, comparison.quantifier == .value else {
                throw values.refusal("can only be searched for words")
            }
            return .comparison(BoundComparison(operand, try values.tokens(words, coverage)))
        }
        let isAny = comparison.quantifier == .any
        guard !isAny || type.isList else { throw values.refusal("is not a list, which ANY requires") }
        switch comparison.test {
        case .exists:
            guard !isAny else { throw values.refusal("is compared with nil as a whole; omit ANY") }
            return .comparison(BoundComparison(operand, .exists))
        case .tokens(let words, let coverage):
            guard type.base == .string, !isAny else { throw values.refusal("cannot be searched for words") }
            return .comparison(BoundComparison(operand, try values.tokens(words, coverage)))
        case .containsAll(let elements):
            guard type.isList, !isAny else { throw values.refusal("is not a list") }
            return .comparison(BoundComparison(operand, .containsAll(try values.elements(elements))))
        case .distance where isAny: throw values.refusal("is a list; a distance requires a single location")
        case .contains(let value, let options) where type.isList && !isAny:
            let test = try values.test(.relation(.equal, value, options))
            return .comparison(BoundComparison(operand, isAny: true, test))
        default:
            guard !type.isList || isAny else {
                throw values.refusal("is a list; use CONTAINS, or ANY for its elements")
            }
            return .comparison(BoundComparison(operand, isAny: isAny, try values.test(comparison.test)))
        }
    }
}
