internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// A sort of a record type's field.
struct BoundSort: Sendable {
    /// What is sorted by: a single value.
    let operand: Operand
    /// Smallest, or nearest, first.
    let ascending: Bool
    /// The place around which it is sorted.
    let place: Location?

    /// Binds `sort`.
    ///
    /// - Throws: `BAD_REQUEST` naming the field.
    init(_ sort: Sort, _ binder: PredicateBinder<RecordTypeSchema>) throws(ServerError) {
        operand = try binder.operand(sort.key)
        ascending = sort.ascending
        place = sort.relativeLocation
        guard let type = operand.type, !type.isList else { throw Self.refusal(operand, "has no single value") }
        switch type.base {
        case .location:
            guard place != nil else { throw Self.refusal(operand, "is a place: it needs a relativeLocation") }
            guard ascending else { throw Self.refusal(operand, "is sorted nearest first only") }
        case .bytes, .asset: throw Self.refusal(operand, "holds bytes")
        default:
            guard place == nil else { throw Self.refusal(operand, "is no place, and takes no relativeLocation") }
        }
    }

    private static func refusal(_ operand: Operand, _ why: String) -> ServerError {
        ServerError(.sortInvalid, "Cannot sort by '\(operand.name)': it \(why)", field: operand.name)
    }
}
