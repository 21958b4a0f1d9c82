import Foundation

/// The binary parameters of one call, in libpq's layout. A connection reuses one buffer for all its calls.
struct ParameterBuffer {
    private var bytes: [UInt8] = []
    private var offsets: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// The capacity in bytes above which a buffer is freed after use.
    private static let maxKeptBytes = 1 << 20

    var byteCount: Int { bytes.count }

    /// Frees the buffer if it is large. Called after the parameters have been sent.
    mutating func shrink() {
        if bytes.capacity > Self.maxKeptBytes { bytes = [] }
    }

    /// Replaces the content with the given parameters. Copies their bytes.
    mutating func fill(_ parameters: [PostgresParameter]) {
        bytes.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        for parameter in parameters { append(parameter.value) }
        // Zero-length values need an address too, because libpq treats a null pointer as NULL.
        bytes.append(0)
        while formats.count < parameters.count { formats.append(1) }
    }

    private mutating func append(_ value: PostgresParameter.Value) {
        let start = bytes.count
        offsets.append(start)
        switch value {
        case .null:
            offsets[offsets.count - 1] = -1
        case .scalar(let number, let byteCount):
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0.suffix(byteCount)) }
        case .text(var text):
            text.withUTF8 { bytes.append(contentsOf: $0) }
        case .bytes(let value):
            bytes.append(contentsOf: value)
        case .jsonb(let json):
            bytes.append(PostgresJSONB.version)
            bytes.append(contentsOf: json)
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
        }
        lengths.append(Int32(bytes.count - start))
    }

    /// Calls `body` with the arguments that libpq's functions take: the number of parameters, and arrays of their
    /// values, lengths and formats.
    func withPointers<R>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> R
    ) -> R {
        let count = offsets.count
        return bytes.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
                for (index, offset) in offsets.enumerated() {
                    let value = offset < 0 ? nil : bytes.baseAddress.map { $0 + offset }
                    values.initializeElement(at: index, to: value?.assumingMemoryBound(to: CChar.self))
                }
                return lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(Int32(count), UnsafePointer(values.baseAddress), lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}
