/// A writer of the binary form of a one-dimensional array, with a single buffer that is allocated once.
///
/// The layout, with all numbers in network order: the number of dimensions, whether there are NULLs, and the type of
/// the elements; for each dimension, its size and first index; for each element, its length (-1 for NULL) and its
/// bytes.
struct ArrayWriter: ~Copyable {
    private let buffer: UnsafeMutableRawBufferPointer
    private var offset = 0
    private let headerBytes: Int
    private var hasNulls = false

    /// - Parameter payloadBytes: The total size of all elements in bytes, without their length fields. The capacity of
    ///   the buffer is exact, so a number that is too small is a programming error, which traps.
    init(element: PostgresType, count: Int, payloadBytes: Int) {
        headerBytes = count == 0 ? 12 : 20
        buffer = .allocate(byteCount: headerBytes + count * 4 + payloadBytes, alignment: 8)
        put(UInt32(count == 0 ? 0 : 1))
        put(UInt32(0))
        put(element.rawValue)
        if count > 0 {
            put(UInt32(count))
            put(UInt32(1))
        }
    }

    @inline(__always)
    private mutating func put<Wire: FixedWidthInteger>(_ value: Wire) {
        buffer.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Wire.self)
        offset += MemoryLayout<Wire>.size
    }

    mutating func appendNull() {
        hasNulls = true
        put(Int32(-1))
    }

    @inline(__always)
    mutating func append<Wire: FixedWidthInteger>(integer: Wire) {
        put(Int32(MemoryLayout<Wire>.size))
        put(integer)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer, prefix: UInt8? = nil) {
        put(Int32(bytes.count + (prefix == nil ? 0 : 1)))
        if let prefix { put(prefix) }
        UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: bytes)
        offset += bytes.count
    }

    /// Returns the array's bytes, copied out of the buffer.
    consuming func finish() -> [UInt8] {
        if hasNulls { buffer.storeBytes(of: UInt32(1).bigEndian, toByteOffset: 4, as: UInt32.self) }
        return [UInt8](buffer[..<offset])
    }

    deinit {
        buffer.deallocate()
    }
}
