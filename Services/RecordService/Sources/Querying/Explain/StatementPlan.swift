internal import CloudKitWire

/// The plan of a statement that PostgreSQL has run (`explain (analyze, format json)`).
struct StatementPlan {
    /// A step that sorts, or that reads a table or an index.
    struct Step {
        /// PostgreSQL's name for the step, such as `Bitmap Index Scan`.
        let kind: String
        /// The index, if the step reads one.
        let index: String?
        /// The total number of rows that the step returned in all its runs.
        let rows: Int
        /// The number of rows that the step read but did not return.
        let removed: Int
    }

    /// The steps, in the order of the plan.
    private(set) var steps: [Step] = []
    /// The duration, in milliseconds.
    private(set) var milliseconds = 0.0
    /// The number of rows that the statement returned.
    private(set) var rows = 0

    init(_ text: [UInt8]) {
        guard let root = (try? JSONValue(parsing: text))?[0], let plan = root["Plan"] else { return }
        milliseconds = (root["Planning Time"]?.double ?? 0) + (root["Execution Time"]?.double ?? 0)
        rows = Self.rows(plan)
        collect(plan)
    }

    /// Collects the steps that sort, read tables or read indexes.
    private mutating func collect(_ node: JSONValue) {
        let kind = node["Node Type"]?.string ?? ""
        let isOfRows = kind.hasSuffix("Scan") && !kind.hasPrefix("Subquery") && !kind.hasPrefix("Function")
        if isOfRows || kind.hasSuffix("Sort") {
            let loops = Int(node["Actual Loops"]?.double ?? 0)
            let removed = ["Rows Removed by Filter", "Rows Removed by Index Recheck"]
                .reduce(0) { $0 + Int(node[$1]?.double ?? 0) }
            steps.append(
                Step(kind: kind, index: node["Index Name"]?.string, rows: Self.rows(node), removed: removed * loops))
        }
        // Subplans compute columns of the result, which are not part of the search. The columns that describe shares
        // are read from other tables.
        for child in node["Plans"]?.array ?? [] where child["Parent Relationship"]?.string != "SubPlan" {
            collect(child)
        }
    }

    private static func rows(_ node: JSONValue) -> Int {
        Int((node["Actual Rows"]?.double ?? 0) * (node["Actual Loops"]?.double ?? 0))
    }

    /// The number of rows that were read from the table.
    var rowsRead: Int {
        steps.filter { $0.kind.hasSuffix("Scan") && $0.kind != "Bitmap Index Scan" }.reduce(0) {
            $0 + $1.rows + $1.removed
        }
    }

    /// The indexes that were read, without duplicates. Steps that read no rows are left out.
    var indexes: [String] {
        var names: [String] = []
        for step in steps where step.rows + step.removed > 0 {
            if let index = step.index, !names.contains(index) { names.append(index) }
        }
        return names
    }
}
