/// Selects which elements of an array are written in full if there is not enough room for all of them.
///
/// The JSON size of an element is known only after it has been written. After an element that does not fit, only
/// elements of at most half its weight are tried. This bounds the number of bytes that are written and then removed,
/// regardless of the number of elements.
package struct WireRoom: Sendable {
    /// The number of bytes to keep free for each remaining element: the size of the short form that replaces an element
    /// that does not fit.
    package let reserve: Int
    private var elementsLeft: Int
    private var maxWeight = Int.max

    /// Creates a selection for an array of `count` elements.
    package init(count: Int, reserve: Int) {
        elementsLeft = count
        self.reserve = reserve
    }

    /// Writes the next element if it fits.
    ///
    /// - Parameter weight: A lower bound on the element's size in bytes.
    /// - Returns: Whether the element was written.
    package mutating func take(
        weight: Int, in writer: inout WireWriter, _ body: (inout WireWriter) throws -> Void
    ) rethrows -> Bool {
        elementsLeft -= 1
        let reserved = elementsLeft * reserve
        guard weight <= maxWeight, weight <= writer.room - reserved else { return false }
        if try writer.attempt(reserving: reserved, body) { return true }
        maxWeight = weight / 2
        return false
    }
}
