import Foundation

/// A file that contains one secret.
package enum SecretFile {
    /// Returns the secret without trailing newlines; nil if the file cannot be read.
    package static func text(at path: String) -> String? {
        guard var text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }
}
