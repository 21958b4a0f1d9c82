internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// A sort, bound to a field of a record type.
struct BoundSort: Sendable {
    /// The sorted field, which has a single value.
    let operand: Operand
    /// Whether the smallest or nearest value comes first.
    let ascending: Bool
    /// The place from which distances are measured; nil if the field is not a location.
    let place: Location?

    /// Binds `sort`.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the field.
    init(_ sort: Sort, _ binder: PredicateBinder<RecordTypeSchema>) throws(ServerError) {
        operand = try binder.operand(sort.key)
        ascending = sort.ascending
        place = sort.relativeLocation
        guard let type = operand.type, !type.isList else { throw Self.refusal(operand, "has no single value") }
        switch type.base {
        case .location:
            guard place != nil else { throw Self.refusal(operand, "is a location, so a relativeLocation is required") }
            guard ascending else { throw Self.refusal(operand, "can only be sorted nearest first") }
        case .bytes, .asset: throw Self.refusal(operand, "contains bytes, which have no order")
        default:
            guard place == nil else {
                throw Self.refusal(operand, "is not a location, so a relativeLocation is not allowed")
            }
        }
    }

    private static func refusal(_ operand: Operand, _ why: String) -> ServerError {
        ServerError(.sortInvalid, "Cannot sort by '\(operand.name)': it \(why)", field: operand.name)
    }
}
