package import Foundation
package import ServiceMessages

/// The name under which a store keeps one file: `<container>/<two digits>/<sha256>.<generation>`. The same content that
/// is uploaded again has another generation, so no name is ever used twice.
package struct BlobKey: Sendable, Hashable, CustomStringConvertible {
    /// The name: ASCII, three parts, safe in a path and in a URL.
    package let rawValue: String
    /// What tells this file from all others.
    package let generation: UUID

    /// The name of a container's content.
    package init(container: String, checksum: AssetChecksum, generation: UUID) {
        // The routing key's encoding leaves the slash alone, and escapes every other character that could hurt: no two
        // containers share a folder.
        let folder = RoutingKey.part(container).replacing("/", with: "%2F")
        let digits = checksum.hex
        rawValue = "\(folder)/\(digits.prefix(2))/\(digits).\(generation.uuidString.lowercased())"
        self.generation = generation
    }

    /// Reads a name; nil when it is of another form.
    package init?(_ rawValue: String) {
        let parts = rawValue.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let dot = parts[2].firstIndex(of: "."), parts[2][..<dot].hasPrefix(parts[1]),
            AssetChecksum(String(parts[2][..<dot])) != nil,
            let generation = UUID(uuidString: String(parts[2][parts[2].index(after: dot)...]))
        else { return nil }
        self.rawValue = rawValue
        self.generation = generation
    }

    /// ``rawValue`` without its last part.
    var folder: Substring { rawValue[..<(rawValue.lastIndex(of: "/") ?? rawValue.startIndex)] }

    /// ``rawValue``.
    package var description: String { rawValue }
}
