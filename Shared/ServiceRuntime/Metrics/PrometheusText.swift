/// The labels of a series, as they appear between braces.
struct SeriesLabels: Hashable {
    private(set) var text: String

    init(_ labels: [(String, String)]) {
        text = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    }

    /// Returns these labels with one more label.
    func with(_ name: String, _ value: String) -> SeriesLabels {
        var more = SeriesLabels([(name, value)])
        if !text.isEmpty { more.text = text + "," + more.text }
        return more
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

/// A writer of Prometheus' text exposition format, version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    /// Writes a family's header, which precedes its samples.
    mutating func head(_ family: MetricFamily) {
        if !family.help.isEmpty {
            let help = family.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
            text += "# HELP \(family.name) \(help)\n"
        }
        text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
    }

    /// Writes a sample of a family.
    mutating func sample(_ name: String, _ labels: SeriesLabels, _ value: Double) {
        let braced = labels.text.isEmpty ? "" : "{\(labels.text)}"
        text += "\(name)\(braced) \(Self.number(value))\n"
    }

    /// Formats a number. A whole number is written without a fractional part.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
