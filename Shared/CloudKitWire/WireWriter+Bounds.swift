/// What decides which elements of an array are written whole when there is not room for all of them.
///
/// The size of an element as JSON is known when it is written. After one that did not fit, only those are tried that are
/// half as large by weight: so the bytes that are written in vain are bounded, however many elements there are.
package struct WireRoom: Sendable {
    /// What is kept free for each element to come: room for what stands in its place.
    package let reserve: Int
    private var elementsLeft: Int
    private var maxWeight = Int.max

    /// The room of an array of `count` elements.
    package init(count: Int, reserve: Int) {
        elementsLeft = count
        self.reserve = reserve
    }

    /// Writes the next element, or nothing.
    ///
    /// - Parameter weight: about how many bytes it has, not more.
    /// - Returns: whether it was written.
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
