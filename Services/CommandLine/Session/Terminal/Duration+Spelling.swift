import ArgumentParser

extension Duration {
    /// Parses a command-line argument: `20s`, `500ms`, `2m`, `1h`, or a number of seconds.
    ///
    /// - Throws: a `ValidationError` that shows the format.
    package static func parse(_ argument: String) throws -> Duration {
        let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
        let unit = units.first { argument.hasSuffix($0.suffix) }
        let digits = argument.dropLast(unit?.suffix.count ?? 0)
        guard let number = Double(digits), number.isFinite, number >= 0, number * (unit?.seconds ?? 1) < 1e9 else {
            throw ValidationError("'\(argument)' is not a duration: use a form like 500ms, 20s, 2m or 1h")
        }
        return .seconds(number * (unit?.seconds ?? 1))
    }

    /// The duration in seconds.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

    /// The duration in whole microseconds; 0 if the duration is negative.
    package var microseconds: UInt64 { UInt64(max(0, seconds * 1e6)) }
}
