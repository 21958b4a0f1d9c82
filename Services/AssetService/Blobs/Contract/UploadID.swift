internal import Foundation
internal import ServiceMessages

/// A resumable upload: the last part of its URL, behind the ticket's, and its name in the store. What was told of it when
/// it was begun is in it, so that there is nothing else to be kept.
struct UploadID: Sendable, Equatable {
    private let id: UUID
    /// How many bytes it is going to have; nil: that was not told.
    let length: Int64?
    /// Their checksum; nil: that was not told.
    let checksum: AssetChecksum?

    /// A new upload.
    init(length: Int64?, checksum: AssetChecksum?) {
        id = UUID()
        self.length = length
        self.checksum = checksum
    }

    /// Reads a part of a URL; nil when it is of another form.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let id = UUID(uuidString: String(parts[0])) else { return nil }
        self.id = id
        length = Int64(parts[1])
        checksum = AssetChecksum(String(parts[2]))
        // One spelling only.
        guard text == description else { return nil }
    }
}

extension UploadID: CustomStringConvertible {
    /// As it stands in the URL.
    var description: String {
        "\(id.uuidString.lowercased()).\(length.map(String.init) ?? "").\(checksum?.hex ?? "")"
    }
}
