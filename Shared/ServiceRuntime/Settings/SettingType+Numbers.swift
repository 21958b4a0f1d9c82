extension SettingType where Value == Int {
    /// Returns a type for whole numbers in a range.
    ///
    /// - Parameter unit: the unit, such as `bytes`, for the reference.
    package static func integer(_ range: ClosedRange<Int>, unit: String = "") -> Self {
        let (least, most) = (range.lowerBound, range.upperBound)
        return SettingType("integer", allowed: "\(least)…\(most)\(unit.isEmpty ? "" : " \(unit)")") {
            text throws(SettingRefusal) in
            guard let number = Int(text), range.contains(number) else {
                throw SettingRefusal("must be a whole number from \(least) to \(most)")
            }
            return number
        }
    }

    /// A type for TCP ports.
    package static var port: Self { integer(1...65_535) }
}

extension SettingType where Value == Duration {
    /// Returns a type for durations of whole seconds in a range, such as `90s`, `5m`, `1h` or `7d`. A number without a
    /// unit is in seconds.
    package static func time(_ range: ClosedRange<Duration>) -> Self {
        let (least, most) = (SettingTime.text(range.lowerBound), SettingTime.text(range.upperBound))
        return SettingType("time", allowed: "\(least)…\(most)", text: SettingTime.text) { text throws(SettingRefusal) in
            guard let time = SettingTime.parse(text), range.contains(time) else {
                throw SettingRefusal("must be a time such as 90s, 5m, 1h or 7d, from \(least) to \(most)")
            }
            return time
        }
    }
}

extension Duration {
    /// Returns a duration of the given number of 24-hour days.
    package static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }
}

/// Parses and formats durations.
private enum SettingTime {
    private static let units: [(name: Character, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

    static func parse(_ text: String) -> Duration? {
        let unit = units.first { $0.name == text.last }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits) else { return nil }
        let (seconds, isTooLong) = number.multipliedReportingOverflow(by: unit?.seconds ?? 1)
        return isTooLong ? nil : .seconds(seconds)
    }

    /// Formats a duration in the largest unit that divides it evenly.
    @Sendable static func text(_ time: Duration) -> String {
        let seconds = time.components.seconds
        guard let unit = units.first(where: { seconds.isMultiple(of: $0.seconds) }), seconds > 0 else { return "0s" }
        return "\(seconds / unit.seconds)\(unit.name)"
    }
}
