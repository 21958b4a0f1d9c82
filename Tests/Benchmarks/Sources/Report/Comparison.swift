/// What Zonda reached in one row of the table, beside its limits.
///
/// Machines are noisy, and what was measured at different times is not comparable: ratios are made within each run,
/// and the median is taken of the ratios.
package struct Comparison: Sendable, Equatable {
    /// A figure over all runs.
    package struct Figure: Sendable, Equatable {
        /// Its name.
        package var name: String
        /// Its values, in the order of the runs.
        package var values: [Double]

        /// The middle value, or the mean of the two middle ones; 0 of none.
        package var median: Double {
            let sorted = values.sorted()
            guard let last = sorted.last else { return 0 }
            let upper = sorted.count / 2
            return upper == 0 ? last : sorted.count % 2 == 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2
        }

        /// The least value; 0 of none.
        package var least: Double { values.min() ?? 0 }
        /// The greatest value; 0 of none.
        package var greatest: Double { values.max() ?? 0 }
    }

    /// The row's name.
    package var row: String
    /// What its values are.
    package var unit: Measurement.Unit
    /// What Zonda reached.
    package var reached: Figure
    /// Its limits, in the order in which they were measured.
    package var limits: [Figure]
    /// What else is known.
    package var facts: [Figure]
    /// Reached by the limit that binds, run by run: of a rate the share of it, of a time how many times as long.
    package var ratio: Figure
    /// The limit that binds by the medians.
    package var bindingLimit: String?

    /// Compares, row by row in the order in which they appear. A run in which something of a row is missing leaves that
    /// row's ratio out.
    package static func all(of measurements: [Measurement]) -> [Comparison] {
        var rows: [String] = []
        for measurement in measurements where !rows.contains(measurement.row) { rows.append(measurement.row) }
        return rows.compactMap { row in Comparison(measurements.filter { $0.row == row }) }
    }

    /// Compares the measurements of one row; nil of none.
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
