/// The id that a producer assigns to a request, used to detect duplicates.
package struct MessageID: KeyName {
    /// The id on the wire.
    package let rawValue: String

    /// Creates an id without checks.
    package init(unchecked name: String) { rawValue = name }
}
