import Crypto
import Foundation
import Glibc
package import ServiceMessages

/// Stores the address of an upload in progress, so that a later run of the command can resume the upload. The address
/// is kept in a file in `$XDG_STATE_HOME/zonda/uploads`, or in `~/.local/state/zonda/uploads` if the variable is not
/// set. If the file cannot be written, an interrupted upload starts again from the beginning.
package final class UploadMemory: Sendable {
    private let path: String

    /// Creates the memory for uploading the content with `checksum` to the database identified by `place`. The result
    /// is nil if `environment` does not contain an absolute path for the folder.
    package init?(of checksum: AssetChecksum, to place: [String], environment: [String: String]) {
        guard let folder = environment["XDG_STATE_HOME"] ?? environment["HOME"].map({ "\($0)/.local/state" }),
            folder.hasPrefix("/")
        else { return nil }
        let key = SHA256.hash(data: Array((place + [checksum.hex]).joined(separator: "\n").utf8))
        let name = key.map { String(format: "%02x", $0) }.joined()
        path = "\(folder)/zonda/uploads/\(name)"
    }

    /// The upload's address; nil if none is stored. The address is a credential, so only the file's owner can read the
    /// file.
    package var address: String? {
        get { try? String(contentsOfFile: path, encoding: .utf8) }
        set {
            guard let newValue else {
                unlink(path)
                return
            }
            guard newValue != address else { return }
            let folder = (path as NSString).deletingLastPathComponent
            try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(newValue.utf8), attributes: [.posixPermissions: 0o600])
        }
    }
}
