/// An iterator over the elements of a one-dimensional array in its binary form, which ``ArrayWriter`` describes.
///
/// The bytes are not copied and must outlive the reader.
struct ArrayReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int
    /// The number of elements.
    let count: Int
    private var remaining: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        let dimensions = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
        precondition(dimensions <= 1, "the array has \(dimensions) dimensions")
        count = dimensions == 0 ? 0 : Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
        remaining = count
        offset = 20
    }

    /// Returns the bytes of the next element, `.some(nil)` if it is NULL, or `nil` after the last element.
    mutating func next() -> UnsafeRawBufferPointer?? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        let length = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        offset += 4
        guard length >= 0 else { return .some(nil) }
        defer { offset += length }
        return .some(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
    }
}
