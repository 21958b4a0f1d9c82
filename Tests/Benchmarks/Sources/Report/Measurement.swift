/// One line of what `deploy/bench` gathers: `run <tab> row <tab> unit <tab> kind <tab> figure <tab> value`.
package struct Measurement: Sendable, Equatable {
    /// What a row's values are. Facts have what unit they like: it is in their names.
    package enum Unit: String, Sendable, CaseIterable {
        /// Records, requests or messages a second.
        case perSecond = "a second"
        /// Millions of bytes a second.
        case megabytesPerSecond = "MB/s"
        /// A time: less of it is better.
        case milliseconds = "ms"

        /// Whether less is better, so that a limit is what cannot be fallen short of.
        package var isTime: Bool { self == .milliseconds }

        /// The limit that binds: the lowest rate, the longest time; nil of none.
        func binding(_ limits: [Double]) -> Double? { isTime ? limits.max() : limits.min() }
    }

    /// What a value means to the comparison.
    package enum Kind: String, Sendable {
        /// What Zonda reached.
        case reached
        /// What it cannot do better.
        case limit
        /// Something worth knowing beside it, such as the size of a batch.
        case fact
    }

    /// Values of one run were measured one right after the other.
    package var run: Int
    /// The row of the table.
    package var row: String
    /// The unit of the row.
    package var unit: Unit
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
        guard cells.count == 6, let run = Int(cells[0]), let unit = Unit(rawValue: cells[2]),
            let kind = Kind(rawValue: cells[3]), let value = Double(cells[5]), value.isFinite
        else { throw LimitFailure("not a measurement: \(line)") }
        (self.run, self.row, self.unit, self.kind, self.figure, self.value) = (
            run, cells[1], unit, kind, cells[4], value
        )
    }
}
