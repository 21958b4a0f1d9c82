/// The value that Zonda reached in one row of the table, together with its limits.
///
/// Machines are noisy, and values that were measured at different times are not comparable. Therefore, ratios are
/// computed within each run, and the result is the median of the ratios.
package struct Comparison: Sendable, Equatable {
    /// The values of a figure in all runs.
    package struct Figure: Sendable, Equatable {
        /// The name of the figure.
        package var name: String
        /// The values, in the order of the runs.
        package var values: [Double]

        /// The middle value, or the mean of the two middle ones; 0 if there are no values.
        package var median: Double {
            let sorted = values.sorted()
            guard let last = sorted.last else { return 0 }
            let upper = sorted.count / 2
            return upper == 0 ? last : sorted.count % 2 == 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2
        }

        /// The smallest value; 0 if there are no values.
        package var least: Double { values.min() ?? 0 }
        /// The largest value; 0 if there are no values.
        package var greatest: Double { values.max() ?? 0 }
    }

    /// The row's name.
    package var row: String
    /// The unit of the values.
    package var unit: Measurement.Unit
    /// The value that Zonda reached.
    package var reached: Figure
    /// The limits, in the order in which they were measured.
    package var limits: [Figure]
    /// Additional facts.
    package var facts: [Figure]
    /// The ratio of the reached value to the binding limit in each run: the fraction of a rate, or the multiple of a
    /// time.
    package var ratio: Figure
    /// The limit that is binding according to the medians.
    package var bindingLimit: String?

    /// Compares the measurements row by row, in the order in which the rows appear. A run that lacks a value of a row
    /// is omitted from the ratios of that row.
    package static func all(of measurements: [Measurement]) -> [Comparison] {
        var rows: [String] = []
        for measurement in measurements where !rows.contains(measurement.row) { rows.append(measurement.row) }
        return rows.compactMap { row in Comparison(measurements.filter { $0.row == row }) }
    }

    /// Compares the measurements of one row; nil if there are none.
    private init?(_ measurements: [Measurement]) {
        guard let first = measurements.first else { return nil }
        let unit = first.unit
        (row, self.unit) = (first.row, unit)
        reached = Figure(name: "Zonda", values: measurements.filter { $0.kind == .reached }.map(\.value))
        limits = Self.figures(measurements.filter { $0.kind == .limit })
        facts = Self.figures(measurements.filter { $0.kind == .fact })
        let binding = unit.binding(limits.map(\.median))
        bindingLimit = limits.first { $0.median == binding }?.name
        let limitCount = limits.count
        let ratios = Dictionary(grouping: measurements, by: \.run).sorted { $0.key < $1.key }
            .compactMap { _, run -> Double? in
                let limits = run.filter { $0.kind == .limit }.map(\.value)
                guard limits.count == limitCount, let binding = unit.binding(limits), binding > 0,
                    let reached = run.first(where: { $0.kind == .reached })
                else { return nil }
                return reached.value / binding
            }
        ratio = Figure(name: "ratio", values: ratios)
    }

    private static func figures(_ measurements: [Measurement]) -> [Figure] {
        var figures: [Figure] = []
        for measurement in measurements {
            if let index = figures.firstIndex(where: { $0.name == measurement.figure }) {
                figures[index].values.append(measurement.value)
            } else {
                figures.append(Figure(name: measurement.figure, values: [measurement.value]))
            }
        }
        return figures
    }
}
