/// One line of the results that `deploy/bench` collects: `run <tab> row <tab> unit <tab> kind <tab> figure <tab>
/// value`.
package struct Measurement: Sendable, Equatable {
    /// The unit of a row's values. The units of facts are in their names.
    package enum Unit: String, Sendable, CaseIterable {
        /// Records, requests or messages per second.
        case perSecond = "a second"
        /// Millions of bytes per second.
        case megabytesPerSecond = "MB/s"
        /// A time. Shorter is better.
        case milliseconds = "ms"

        /// Whether smaller values are better, so that a limit is a lower bound.
        package var isTime: Bool { self == .milliseconds }

        /// Returns the binding limit, which is the lowest rate or the longest time; nil if there are no limits.
        func binding(_ limits: [Double]) -> Double? { isTime ? limits.max() : limits.min() }
    }

    /// The role of a value in the comparison.
    package enum Kind: String, Sendable {
        /// A value that Zonda reached.
        case reached
        /// A limit that Zonda cannot exceed.
        case limit
        /// Additional information, such as the size of a batch.
        case fact
    }

    /// The number of the run. The values of a run were measured immediately after each other.
    package var run: Int
    /// The row of the table.
    package var row: String
    /// The unit of the row.
    package var unit: Unit
    /// The role of the value.
    package var kind: Kind
    /// The name of the measured figure.
    package var figure: String
    /// The value.
    package var value: Double

    /// Parses a line.
    ///
    /// - Throws: ``LimitFailure`` with the line.
    package init(line: String) throws {
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard cells.count == 6, let run = Int(cells[0]), let unit = Unit(rawValue: cells[2]),
            let kind = Kind(rawValue: cells[3]), let value = Double(cells[5]), value.isFinite
        else { throw LimitFailure("invalid measurement: \(line)") }
        (self.run, self.row, self.unit, self.kind, self.figure, self.value) = (
            run, cells[1], unit, kind, cells[4], value
        )
    }
}
