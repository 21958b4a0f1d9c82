internal import FoundationEssentials

/// The producers file, with its path and the rules that were read from it.
package struct ProducersFile: Sendable {
    private static let maxBytes = 4 << 20

    /// The path of the file.
    package let path: String
    /// The rules in the file.
    package let rules: ProducerRules
    private let text: [UInt8]

    /// Reads the file.
    ///
    /// - Throws: ``ProducersFault`` if the file cannot be read or is invalid.
    package init(path: String) throws(ProducersFault) {
        let text = try Self.text(at: path)
        self.init(path: path, text: text, rules: try ProducerRules(parsing: text))
    }

    private init(path: String, text: [UInt8], rules: ProducerRules) {
        (self.path, self.text, self.rules) = (path, text, rules)
    }

    /// Reads the file again; returns nil if it has not changed. The file is small, so comparing its text is as cheap as
    /// comparing its modification date. It is also more reliable, because two changes within a second can have the same
    /// date.
    ///
    /// - Throws: ``ProducersFault`` if the file cannot be read or is invalid.
    package func reread() throws(ProducersFault) -> ProducersFile? {
        let text = try Self.text(at: path)
        guard text != self.text else { return nil }
        return ProducersFile(path: path, text: text, rules: try ProducerRules(parsing: text))
    }

    private static func text(at path: String) throws(ProducersFault) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw ProducersFault("it cannot be read") }
        guard data.count <= maxBytes else { throw ProducersFault("it is larger than \(maxBytes) bytes") }
        return [UInt8](data)
    }
}
