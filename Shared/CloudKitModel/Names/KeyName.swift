/// A name used as a key. It is compared and hashed by its UTF-8 bytes, as the database compares it.
///
/// `String` considers canonically equivalent strings equal, such as `é` as one scalar and `e` with a combining accent.
/// As names of records, zones and requests, such strings are distinct (semantics 2.1), so they must not be compared as
/// `String`.
package protocol KeyName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation
where StringLiteralType == String {
    /// The name on the wire and in storage.
    var rawValue: String { get }

    /// Creates a name without checks, for names that have already been checked or are used only for look-ups.
    init(unchecked name: String)
}

extension KeyName {
    /// Returns whether the bytes are equal.
    package static func == (one: Self, other: Self) -> Bool {
        let (one, other) = (one.rawValue.utf8, other.rawValue.utf8)
        guard one.count == other.count else { return false }
        // Native strings always have contiguous bytes.
        let isEqual = one.withContiguousStorageIfAvailable { one in
            other.withContiguousStorageIfAvailable { other in one.elementsEqual(other) }
        }
        return (isEqual ?? nil) ?? one.elementsEqual(other)
    }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        var name = rawValue
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // A terminator: no UTF-8 string contains this byte.
        hasher.combine(0xFF as UInt8)
    }

    /// The name itself.
    package var description: String { rawValue }

    /// Creates a name from a literal in source code.
    package init(stringLiteral name: String) { self.init(unchecked: name) }
}
