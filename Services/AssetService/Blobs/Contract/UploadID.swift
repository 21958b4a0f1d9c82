internal import Foundation
package import ServiceMessages

/// The id of a resumable upload. It is the last component of the upload's URL, after the ticket, and part of the
/// upload's name in the store. The id contains the size and the checksum that the client announced at the beginning, so
/// they are not stored anywhere else.
package struct UploadID: Sendable, Equatable {
    private let id: UUID
    /// The announced size in bytes; nil if the client announced none.
    package let length: Int64?
    /// The announced checksum; nil if the client announced none.
    package let checksum: AssetChecksum?

    /// Creates the id of a new upload.
    package init(length: Int64?, checksum: AssetChecksum?) {
        id = UUID()
        self.length = length
        self.checksum = checksum
    }

    /// Parses an id from a component of a URL or of a name in the store; nil if the component is malformed.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let id = UUID(uuidString: String(parts[0])) else { return nil }
        self.id = id
        length = Int64(parts[1])
        checksum = AssetChecksum(String(parts[2]))
        // Only the exact text that `description` returns is accepted.
        guard text == description else { return nil }
    }
}

extension UploadID: CustomStringConvertible {
    /// The id as it appears in the URL and in the store.
    package var description: String {
        "\(id.uuidString.lowercased()).\(length.map(String.init) ?? "").\(checksum?.hex ?? "")"
    }
}
