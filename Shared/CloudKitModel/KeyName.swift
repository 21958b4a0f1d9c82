/// A name that is a key: compared and hashed by the bytes of its UTF-8, as the database compares it.
///
/// `String` takes texts for equal that Unicode takes for equivalent: `é` as one scalar and `e` with a combining accent. As
/// names of records, zones and requests these are two (semantics 2.1), so a `String` must not decide which one is meant.
package protocol KeyName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation
where StringLiteralType == String {
    /// The name as it is on the wire and in storage.
    var rawValue: String { get }

    /// Takes a name that was checked before, or is only looked up. Nothing is checked here.
    init(unchecked name: String)
}

extension KeyName {
    /// Whether the bytes are the same.
    package static func == (one: Self, other: Self) -> Bool {
        let (one, other) = (one.rawValue.utf8, other.rawValue.utf8)
        guard one.count == other.count else { return false }
        // Native strings always have contiguous bytes.
        let isEqual = one.withContiguousStorageIfAvailable { one in
            other.withContiguousStorageIfAvailable { other in one.elementsEqual(other) }
        }
        return (isEqual ?? nil) ?? one.elementsEqual(other)
    }

    /// Adds the bytes.
    package func hash(into hasher: inout Hasher) {
        var name = rawValue
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No name has this byte: it ends here.
        hasher.combine(0xFF as UInt8)
    }

    /// The name itself.
    package var description: String { rawValue }

    /// A name that is written in the program.
    package init(stringLiteral name: String) { self.init(unchecked: name) }
}
