/// A table of text. Each column is as wide as its widest cell.
package struct TextTable: Sendable {
    private var rows: [[String]] = []

    /// Creates an empty table.
    package init() {}

    /// Adds a row; the last cell is not padded.
    package mutating func add(_ cells: String...) { add(cells) }

    /// Adds a row; the last cell is not padded.
    package mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The rows, with two spaces between columns.
    package var lines: [String] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }.joined(separator: "  ")
        }
    }
}

extension BinaryInteger {
    /// The number with commas between groups of three digits.
    package var grouped: String {
        var text = ""
        for (position, digit) in String(magnitude).reversed().enumerated() {
            if position > 0, position % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (self < 0 ? "-" : "") + String(text.reversed())
    }
}

extension Double {
    /// The number rounded to `places` decimals.
    package func rounded(places: Int) -> Double {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        return (self * scale).rounded() / scale
    }
}
