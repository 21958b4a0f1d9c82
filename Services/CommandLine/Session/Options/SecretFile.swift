import Foundation

/// A file with one secret in it.
package enum SecretFile {
    /// The secret, without the ends of lines behind it; nil when the file cannot be read.
    package static func text(at path: String) -> String? {
        guard var text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }
}
