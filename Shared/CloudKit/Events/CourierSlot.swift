internal import Crypto
internal import Glibc

/// The place in which a process keeps the token of its registration for notifications, while no other process uses it.
///
/// With the same token, a process that is started again receives what was sent meanwhile. Processes that run at the same
/// time need tokens of their own, because each notification of a token is delivered once.
final class CourierSlot: Sendable {
    /// The number of processes of one user that keep their tokens.
    private static let maxSlots = 50

    private let path: String
    private let lock: Int32

    /// Takes the first slot that no process uses; nil if there is none, or the folder cannot be written.
    ///
    /// - Parameters:
    ///   - place: the gateway, the container and its environment.
    ///   - user: the record name of the user.
    init?(_ place: ConnectionPlace, user: String, environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard let folder = value("XDG_STATE_HOME") ?? value("HOME").map({ "\($0)/.local/state" }) else { return nil }
        let key = [place.url, place.container, place.environment, user].joined(separator: "\n")
        let name = SHA256.hash(data: Data(key.utf8)).prefix(16).map { String(format: "%02x", $0) }.joined()
        let home = "\(folder)/zonda/courier"
        try? FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for number in 0..<Self.maxSlots {
            let path = "\(home)/\(name).\(number)"
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return nil }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                (self.path, lock) = (path, descriptor)
                return
            }
            close(descriptor)
        }
        return nil
    }

    deinit { close(lock) }

    /// The token; nil if none has been stored.
    var token: String? {
        get {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8), !text.isEmpty else { return nil }
            return text
        }
        set {
            let bytes = Array((newValue ?? "").utf8)
            guard ftruncate(lock, 0) == 0 else { return }
            _ = bytes.withUnsafeBytes { pwrite(lock, $0.baseAddress, $0.count, 0) }
        }
    }
}
