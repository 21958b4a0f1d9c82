import CommandLineSession
import Foundation
import ServiceMessages

/// A folder of contents, each in a file named after its checksum in hexadecimal digits.
struct AssetFolder: Sendable {
    /// The path of the folder.
    let path: String

    /// The file of a content.
    func file(of checksum: AssetChecksum) -> String { "\(path)/\(checksum.hex)" }

    /// Creates the folder, unless it exists.
    ///
    /// - Throws: `.local(.file)`.
    func make() throws(RequestFailure) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .local(.file, reason: "cannot create the folder '\(path)': \(error.localizedDescription)")
        }
    }

    /// Whether the folder has the content. A file gets its name only after its checksum was verified.
    func contains(_ asset: AssetValue) -> Bool {
        (try? LocalFile(path: file(of: asset.checksum)))?.size == asset.size
    }

    /// The content; nil if the folder does not have it.
    ///
    /// - Throws: `.local`, with `.checksumMismatch` if the bytes do not match the name of the file.
    func source(of checksum: AssetChecksum) async throws(RequestFailure) -> AssetFile? {
        guard let file = try? LocalFile(path: file(of: checksum)) else { return nil }
        let source = try await AssetFile(file)
        guard source.checksum == checksum else {
            throw .local(.checksumMismatch, reason: "the bytes in '\(file.path)' do not match the checksum in its name")
        }
        return source
    }
}
