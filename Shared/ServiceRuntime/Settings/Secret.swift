/// A string that does not appear in logs, descriptions or dumps.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The string itself, for the code that needs the secret.
    package let text: String

    /// Creates a secret.
    package init(_ text: String) { self.text = text }

    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
