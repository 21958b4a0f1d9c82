internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// A sort criterion as SQL.
struct SortColumn {
    /// The expression to sort by, for a row of the table.
    let sql: String
    /// The type to which a marker's key is cast.
    let cast: String
    /// Whether the smallest value comes first.
    let ascending: Bool
    /// Whether every record has a value.
    let isNeverNull: Bool

    /// Whether the statement must return the key of each record. Otherwise, the key is computed from the record
    /// (``BoundSort/key(of:)``).
    let isTold: Bool

    /// `asc` or `desc`.
    var direction: String { ascending ? "asc" : "desc" }

    /// Returns the `order by` expression of a column, with nulls last.
    func order(_ column: String) -> String { "\(column) \(direction) nulls last" }

    /// - Parameter bind: binds a location as a point.
    init(_ sort: BoundSort, of target: QueryTarget, bind: (Location) -> String) {
        ascending = sort.ascending
        isTold = !sort.isOwn
        isNeverNull =
            switch sort.operand {
            case .system(let key): key != .parent && key != .share
            default: false
            }
        switch sort.operand {
        case .system(let key):
            sql = target.column(of: key)
            cast = key.type == .timestamp ? "timestamptz" : "text"
        case .field(let name, _) where sort.place != nil:
            sql = "(\(FieldExpression.point(of: name)) operator(record.<->) \(sort.place.map(bind) ?? "null"))"
            cast = "float8"
        case .field(let name, let type):
            sql = FieldExpression.value(of: name, type: type) ?? "null::text"
            cast = type.base == .string || type.base == .reference ? "text" : "numeric"
        case .words:
            sql = "null::text"
            cast = "text"
        }
    }
}
