import CommandLineSession
import Foundation
import ServiceMessages

/// A folder of contents, each in a file that is named by its checksum in hexadecimal digits.
struct AssetFolder: Sendable {
    /// The folder.
    let path: String

    /// Where a content is, if it is there.
    func file(of checksum: AssetChecksum) -> String { "\(path)/\(checksum.hex)" }

    /// Makes the folder unless it is there.
    ///
    /// - Throws: `.local(.file)`.
    func make() throws(RequestFailure) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .local(.file, reason: "cannot make the folder '\(path)': \(error.localizedDescription)")
        }
    }

    /// Whether the content is there. A file gets its name only when all of its bytes have come and are right.
    func contains(_ asset: AssetValue) -> Bool {
        (try? LocalFile(path: file(of: asset.checksum)))?.size == asset.size
    }

    /// The content; nil when it is not there.
    ///
    /// - Throws: `.local`: `.checksumMismatch` when the file has other bytes than its name says.
    func source(of checksum: AssetChecksum) async throws(RequestFailure) -> AssetFile? {
        guard let file = try? LocalFile(path: file(of: checksum)) else { return nil }
        let source = try await AssetFile(file)
        guard source.checksum == checksum else {
            throw .local(.checksumMismatch, reason: "the bytes in '\(file.path)' are not those of its name")
        }
        return source
    }
}
