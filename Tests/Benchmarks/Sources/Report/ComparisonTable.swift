package import CloudKitWire

/// The comparisons as text and as JSON.
package struct ComparisonTable: Sendable {
    private let comparisons: [Comparison]

    /// Creates a table of comparisons.
    package init(_ comparisons: [Comparison]) { self.comparisons = comparisons }

    /// A table for each unit, with a column for each limit of any of its rows, followed by the facts. The values are
    /// medians.
    package var lines: [String] {
        let tables = Measurement.Unit.allCases.compactMap { unit in
            let rows = comparisons.filter { $0.unit == unit }
            return rows.isEmpty ? nil : Self.table(of: rows, in: unit)
        }
        return tables.joined(separator: [""]) + facts
    }

    private static func table(of comparisons: [Comparison], in unit: Measurement.Unit) -> [String] {
        var limits: [String] = []
        for name in comparisons.flatMap({ $0.limits.map(\.name) }) where !limits.contains(name) { limits.append(name) }
        let ratio = unit.isTime ? "times the limit" : "of the lowest"
        var cells = [[unit.rawValue, "Zonda"] + limits + [ratio, "least to greatest"]]
        for comparison in comparisons {
            let (ratio, spell) = (comparison.ratio, unit.isTime ? grouped : percent)
            cells.append(
                [comparison.row, grouped(comparison.reached.median)]
                    + limits.map { name in
                        comparison.limits.first { $0.name == name }.map { grouped($0.median) } ?? ""
                    } + [spell(ratio.median), "\(spell(ratio.least)) to \(spell(ratio.greatest))"])
        }
        return aligned(cells)
    }

    private var facts: [String] {
        comparisons.filter { !$0.facts.isEmpty }.map { comparison in
            let facts = comparison.facts.map { "\($0.name) \(Self.grouped($0.median))" }
            return "\(comparison.row): \(facts.joined(separator: ", "))"
        }
    }

    /// Returns an object with the given `settings`, and `rows` with all values of all runs.
    package func json(settings: [(name: String, value: String)]) -> JSONValue {
        .object([
            .init("settings", .object(settings.map { .init($0.name, .string($0.value)) })),
            .init("rows", .array(comparisons.map(Self.json))),
        ])
    }

    private static func json(_ comparison: Comparison) -> JSONValue {
        .object([
            .init("row", .string(comparison.row)), .init("unit", .string(comparison.unit.rawValue)),
            .init("reached", json(comparison.reached)),
            .init("limits", .object(comparison.limits.map { .init($0.name, json($0)) })),
            .init("bindingLimit", comparison.bindingLimit.map { .string($0) } ?? .null),
            .init("ratio", json(comparison.ratio)),
            .init("facts", .object(comparison.facts.map { .init($0.name, json($0)) })),
        ])
    }

    private static func json(_ figure: Comparison.Figure) -> JSONValue {
        .object([
            .init("median", .double(figure.median.rounded(places: 4))),
            .init("least", .double(figure.least.rounded(places: 4))),
            .init("greatest", .double(figure.greatest.rounded(places: 4))),
            .init("runs", .array(figure.values.map { .double($0.rounded(places: 4)) })),
        ])
    }

    /// Returns lines with aligned columns. The first column is aligned to the left, numbers to the right.
    private static func aligned(_ rows: [[String]]) -> [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }.joined(separator: "  ")
        }
    }

    private static func percent(_ ratio: Double) -> String { "\(Int((ratio * 100).rounded())) %" }

    /// Returns a small number with about three digits, and a large one without decimals and with commas between
    /// thousands.
    private static func grouped(_ number: Double) -> String {
        guard number.magnitude >= 100 else { return "\(number.rounded(places: number.magnitude < 10 ? 2 : 1))" }
        var text = ""
        for (position, digit) in String(Int(number.rounded()).magnitude).reversed().enumerated() {
            if position > 0, position % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + String(text.reversed())
    }
}
