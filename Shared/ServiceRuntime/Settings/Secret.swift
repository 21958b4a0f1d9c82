/// A text that no log, description or dump shows.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for whoever it is meant for.
    package let text: String

    /// A secret with that text.
    package init(_ text: String) { self.text = text }

    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
