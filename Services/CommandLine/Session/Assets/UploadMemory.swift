import Crypto
import Foundation
import Glibc
package import ServiceMessages

/// Remembers the address of an upload under way, for another run of the command after this one was ended: a file in
/// `$XDG_STATE_HOME/zonda/uploads`, else `~/.local/state/zonda/uploads`. That it cannot be written costs a longer upload,
/// no more.
package final class UploadMemory: Sendable {
    private let path: String

    /// The memory of one content on its way to one place; `place` says which.
    package init?(of checksum: AssetChecksum, to place: [String], environment: [String: String]) {
        guard let folder = environment["XDG_STATE_HOME"] ?? environment["HOME"].map({ "\($0)/.local/state" }),
            folder.hasPrefix("/")
        else { return nil }
        let key = SHA256.hash(data: Array((place + [checksum.hex]).joined(separator: "\n").utf8))
        let name = key.map { String(format: "%02x", $0) }.joined()
        path = "\(folder)/zonda/uploads/\(name)"
    }

    /// The address; it is a credential, so the file is its owner's only.
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
            FileManager.default.createFile(
                atPath: path, contents: Data(newValue.utf8), attributes: [.posixPermissions: 0o600])
        }
    }
}
