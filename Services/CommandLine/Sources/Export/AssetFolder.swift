import CommandLineSession
import Foundation
import ServiceMessages

/// A folder with the content of assets. Each file is named after the checksum of its content, in hexadecimal.
struct AssetFolder: Sendable {
    /// The path of the folder.
    let path: String

    /// Returns the path of the file for the content with `checksum`.
    func file(of checksum: AssetChecksum) -> String { "\(path)/\(checksum.hex)" }

    /// Creates the folder unless it already exists.
    ///
    /// - Throws: `.local(.file)`.
    func make() throws(RequestFailure) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .local(.file, reason: "cannot create the folder '\(path)': \(error.localizedDescription)")
        }
    }

    /// Returns whether the folder contains the content of `asset`. Only the size is compared, because a file gets its
    /// name only after its checksum has been verified.
    func contains(_ asset: AssetValue) -> Bool {
        (try? LocalFile(path: file(of: asset.checksum)))?.size == asset.size
    }

    /// Returns the content with `checksum`; nil if the folder does not contain it.
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
