/// A failure of a store. The cause is on the server side, so the same request might succeed later.
package struct BlobStoreError: Error, Sendable, CustomStringConvertible {
    /// The operation and its result, for operators.
    package let description: String
    /// Whether the stored bytes differ from the bytes that were written. A retry cannot help, but a new upload of the
    /// same content can.
    package let isDamage: Bool
    /// Whether the store is full.
    package let isFull: Bool

    /// Creates an error.
    package init(_ description: String, isDamage: Bool = false, isFull: Bool = false) {
        self.description = description
        self.isDamage = isDamage
        self.isFull = isFull
    }
}
