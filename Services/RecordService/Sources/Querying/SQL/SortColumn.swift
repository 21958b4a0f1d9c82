internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// A sort as SQL.
struct SortColumn {
    /// What is sorted by, over a row of the table.
    let sql: String
    /// The type to which the key of a marker is cast.
    let cast: String
    /// Smallest first.
    let ascending: Bool
    /// Whether every record has it.
    let isNeverNull: Bool

    /// Whether the statement has to tell the key of each record: else it is the record's own value (``BoundSort/key(of:)``).
    let isTold: Bool

    /// `asc` or `desc`.
    var direction: String { ascending ? "asc" : "desc" }

    /// The sort in any order by, nulls last.
    func order(_ column: String) -> String { "\(column) \(direction) nulls last" }

    /// - Parameter bind: Binds a place as a point.
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
