internal import CloudKitModel
internal import Crypto
internal import CryptoExtras
internal import Dispatch
internal import Foundation

/// What is kept of a password: `scrypt$N$r$p$salt$hash`, salt and hash in base64 (RFC 7914).
///
/// Expensive on purpose, in memory and time: call it away from the tasks' threads, as ``inTurn(_:)`` does.
enum PasswordHash {
    /// A password that can be guessed by trying all is none, bytes.
    static let minLength = 8
    /// Nobody types more, bytes.
    static let maxLength = 1024

    /// What a new hash costs: N is 2 to this power, with r and p below. An older hash keeps those it was made with. With 15 it
    /// is 32 MiB and about a quarter of a second: OWASP's least for memory of that size.
    static let usualCost = 15
    private static let blockSize = 8
    private static let parallelism = 3
    private static let saltLength = 16
    private static let hashLength = 32
    /// What a stored hash may ask for: nothing in the table makes the process take more.
    private static let maxRounds = 1 << 20

    /// One at a time: memory for one, and a processor left for everything else.
    private static let queue = DispatchQueue(label: "zonda.password", qos: .utility)

    /// Refuses what cannot be a password.
    ///
    /// - Throws: `BAD_REQUEST`, which tells the length and nothing else.
    static func check(_ password: String) throws(ServerError) {
        let length = password.utf8.count
        guard (minLength...maxLength).contains(length) else {
            throw ServerError(
                .passwordInvalid, "A password has \(minLength) to \(maxLength) bytes", field: "password",
                limit: length < minLength ? minLength : maxLength, actual: length)
        }
    }

    /// The hash of a password with a new salt.
    ///
    /// - Throws: what the library throws: without memory.
    static func make(_ password: String, cost: Int = usualCost) throws -> String {
        let rounds = 1 << cost
        let salt = (0..<saltLength).map { _ in UInt8.random(in: .min ... .max) }
        let hash = try derive(password, salt, rounds: rounds, blockSize: blockSize, parallelism: parallelism)
        let numbers = [rounds, blockSize, parallelism].map(String.init)
        let texts = [salt, hash].map { Data($0).base64EncodedString() }
        return (["scrypt"] + numbers + texts).joined(separator: "$")
    }

    /// Whether `hash` was made of `password`; false also for what is no hash. The time tells nothing of where they differ.
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

    /// Runs `work` when no other such work runs, away from the tasks' threads.
    static func inTurn<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// One keyboard composes what another does not: compared is the compatible composed form.
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
