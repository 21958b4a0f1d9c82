/// The id that a producer gives a request, by which a repeat is known.
package struct MessageID: KeyName {
    /// The id as it is on the wire.
    package let rawValue: String

    /// Takes an id as it came.
    package init(unchecked name: String) { rawValue = name }
}
