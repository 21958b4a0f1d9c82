/// The text of a progress line: `[#####.....]  52%  1,234 records  820/s`.
package struct ProgressBar: Sendable {
    /// The width of the bar, in characters.
    static let width = 24

    /// Returns the line for `fraction`, with `text` after the bar. The fraction ranges from 0 to 1; it is nil if the
    /// total is unknown.
    package static func line(fraction: Double?, _ text: String) -> String {
        guard let fraction else { return text }
        let share = min(max(fraction, 0), 1)
        let filled = Int(share * Double(width))
        let percent = String(Int(share * 100))
        let padding = String(repeating: " ", count: max(0, 3 - percent.count))
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
            + "] \(padding)\(percent)%  \(text)"
    }
}
