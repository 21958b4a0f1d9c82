internal import FoundationEssentials

/// The producers file: its path, and what it said when it was read.
package struct ProducersFile: Sendable {
    private static let maxBytes = 4 << 20

    /// Where it is.
    package let path: String
    /// What it said.
    package let rules: ProducerRules
    private let text: [UInt8]

    /// Reads it.
    ///
    /// - Throws: ``ProducersFault``.
    package init(path: String) throws(ProducersFault) {
        let text = try Self.text(at: path)
        self.init(path: path, text: text, rules: try ProducerRules(parsing: text))
    }

    private init(path: String, text: [UInt8], rules: ProducerRules) {
        (self.path, self.text, self.rules) = (path, text, rules)
    }

    /// Reads it once more; nil when it says the same. (It is small: to compare it is as cheap as, and surer than, to look
    /// at its date, which two changes within a second may share.)
    ///
    /// - Throws: ``ProducersFault``.
    package func reread() throws(ProducersFault) -> ProducersFile? {
        let text = try Self.text(at: path)
        guard text != self.text else { return nil }
        return ProducersFile(path: path, text: text, rules: try ProducerRules(parsing: text))
    }

    private static func text(at path: String) throws(ProducersFault) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw ProducersFault("it cannot be read") }
        guard data.count <= maxBytes else { throw ProducersFault("it has more than \(maxBytes) bytes") }
        return [UInt8](data)
    }
}
