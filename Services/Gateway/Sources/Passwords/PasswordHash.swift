internal import CloudKitModel
internal import Crypto
internal import CryptoExtras
internal import Dispatch
internal import Foundation

/// The stored hash of a password: `scrypt$N$r$p$salt$hash`, with the salt and the hash in base64 (RFC 7914).
///
/// Hashing intentionally takes a lot of memory and time. It must not run on the threads that execute tasks; see
/// ``inTurn(_:)``.
enum PasswordHash {
    /// The minimum length of a password, in bytes. A shorter password could be guessed by trying all possible
    /// passwords.
    static let minLength = 8
    /// The maximum length of a password, in bytes.
    static let maxLength = 1024

    /// The cost of a new hash: scrypt's N is 2 to this power; r and p are constants. An existing hash keeps its own
    /// parameters. A cost of 15 takes 32 MiB and about a quarter of a second. With these constants, it meets OWASP's
    /// minimum for this amount of memory.
    static let usualCost = 15
    private static let blockSize = 8
    private static let parallelism = 3
    private static let saltLength = 16
    private static let hashLength = 32
    /// The maximum N of a stored hash. It limits the memory that a row can make the process allocate.
    private static let maxRounds = 1 << 20

    /// The queue runs one hash at a time, which limits memory use and leaves processors free for other work.
    private static let queue = DispatchQueue(label: "zonda.password", qos: .utility)

    /// Checks the length of a password.
    ///
    /// - Throws: `BAD_REQUEST`, which reveals only the length.
    static func check(_ password: String) throws(ServerError) {
        let length = password.utf8.count
        guard (minLength...maxLength).contains(length) else {
            throw ServerError(
                .passwordInvalid, "A password must be \(minLength) to \(maxLength) bytes long", field: "password",
                limit: length < minLength ? minLength : maxLength, actual: length)
        }
    }

    /// Hashes a password with a new salt.
    ///
    /// - Throws: an error from swift-crypto if memory cannot be allocated.
    static func make(_ password: String, cost: Int = usualCost) throws -> String {
        let rounds = 1 << cost
        let salt = (0..<saltLength).map { _ in UInt8.random(in: .min ... .max) }
        let hash = try derive(password, salt, rounds: rounds, blockSize: blockSize, parallelism: parallelism)
        let numbers = [rounds, blockSize, parallelism].map(String.init)
        let texts = [salt, hash].map { Data($0).base64EncodedString() }
        return (["scrypt"] + numbers + texts).joined(separator: "$")
    }

    /// Returns whether `hash` is a hash of `password`; false if `hash` is malformed. The comparison takes constant
    /// time.
    static func verifies(_ password: String, _ hash: String) -> Bool {
        let parts = hash.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "scrypt", password.utf8.count <= maxLength,
            let rounds = Int(parts[1]), let blockSize = Int(parts[2]), let parallelism = Int(parts[3]),
            (2...maxRounds).contains(rounds), rounds & (rounds - 1) == 0, (1...16).contains(blockSize),
            (1...16).contains(parallelism),
            let salt = Data(base64Encoded: String(parts[4])), let kept = Data(base64Encoded: String(parts[5])),
            kept.count == hashLength,
            let made = try? derive(
                password, Array(salt), rounds: rounds, blockSize: blockSize, parallelism: parallelism)
        else { return false }
        return zip(made, kept).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Runs `work` on a separate queue, one call at a time.
    static func inTurn<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Derives the key from the NFKC-normalized password, because keyboards compose characters differently.
    private static func derive(
        _ password: String, _ salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int
    ) throws -> [UInt8] {
        let text = Data(password.precomposedStringWithCompatibilityMapping.utf8)
        let key = try KDF.Scrypt.deriveKey(
            from: text, salt: salt, outputByteCount: hashLength, rounds: rounds, blockSize: blockSize,
            parallelism: parallelism)
        return key.withUnsafeBytes { Array($0) }
    }
}
