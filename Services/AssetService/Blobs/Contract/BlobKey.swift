package import Foundation
package import ServiceMessages

/// The name of a file in a store: `<container>/<two digits>/<sha256>.<generation>`. Another upload of the same content
/// has a different generation, so no name is used twice.
package struct BlobKey: Sendable, Hashable, CustomStringConvertible {
    /// The name in ASCII. It has three components and is safe in a path and in a URL.
    package let rawValue: String
    /// The part of the name that is unique to this file.
    package let generation: UUID

    /// Creates the name of a file for content in a container.
    package init(container: String, checksum: AssetChecksum, generation: UUID) {
        // The encoding of routing keys escapes every unsafe character except the slash. The slash is escaped here, so
        // that no two containers share a folder.
        let folder = RoutingKey.part(container).replacing("/", with: "%2F")
        let digits = checksum.hex
        rawValue = "\(folder)/\(digits.prefix(2))/\(digits).\(generation.uuidString.lowercased())"
        self.generation = generation
    }

    /// Parses a name; returns nil if it is malformed.
    package init?(_ rawValue: String) {
        let parts = rawValue.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let dot = parts[2].firstIndex(of: "."), parts[2][..<dot].hasPrefix(parts[1]),
            AssetChecksum(String(parts[2][..<dot])) != nil,
            let generation = UUID(uuidString: String(parts[2][parts[2].index(after: dot)...]))
        else { return nil }
        self.rawValue = rawValue
        self.generation = generation
    }

    /// ``rawValue`` without its last component.
    var folder: Substring { rawValue[..<(rawValue.lastIndex(of: "/") ?? rawValue.startIndex)] }

    /// ``rawValue``.
    package var description: String { rawValue }
}
