/// One line of what `deploy/bench` gathers: `run <tab> row <tab> kind <tab> figure <tab> value`.
package struct Measurement: Sendable, Equatable {
    /// What a value means to the comparison.
    package enum Kind: String, Sendable {
        /// What Zonda reached, a second.
        case reached
        /// What it cannot exceed, a second.
        case limit
        /// Something worth knowing beside it, such as the size of a batch.
        case fact
    }

    /// Values of one run were measured one right after the other.
    package var run: Int
    /// The row of the table.
    package var row: String
    /// What the value means.
    package var kind: Kind
    /// The name of what was measured.
    package var figure: String
    /// The value.
    package var value: Double

    /// Reads a line.
    ///
    /// - Throws: ``LimitFailure`` with the line.
    package init(line: String) throws {
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard cells.count == 5, let run = Int(cells[0]), let kind = Kind(rawValue: cells[2]),
            let value = Double(cells[4]), value.isFinite
        else { throw LimitFailure("not a measurement: \(line)") }
        (self.run, self.row, self.kind, self.figure, self.value) = (run, cells[1], kind, cells[3], value)
    }
}
