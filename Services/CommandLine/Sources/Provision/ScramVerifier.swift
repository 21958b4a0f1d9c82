import Crypto
import FoundationEssentials

/// The verifier that PostgreSQL stores for a password (RFCs 5802 and 7677). It is sufficient for checking the password,
/// but not for logging in. It is sent instead of the password, so that no statement or server log contains the
/// password.
enum ScramVerifier {
    /// The number of iterations: PostgreSQL's default.
    private static let iterations = 4096

    /// Returns the verifier for `alter role … password`, with a new salt.
    ///
    /// - Throws: ``ProvisionError`` if the password contains characters other than printable ASCII, which servers and
    ///   clients would have to normalize first.
    static func verifier(of password: String) throws(ProvisionError) -> String {
        guard password.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw ProvisionError("the password of a role must contain only printable ASCII characters")
        }
        var random = SystemRandomNumberGenerator()
        return verifier(of: password, salt: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// Returns the verifier with a given salt.
    static func verifier(of password: String, salt: [UInt8]) -> String {
        let salted = SymmetricKey(data: derived(from: SymmetricKey(data: Array(password.utf8)), salt: salt))
        let client = HMAC<SHA256>.authenticationCode(for: Array("Client Key".utf8), using: salted)
        let server = HMAC<SHA256>.authenticationCode(for: Array("Server Key".utf8), using: salted)
        let stored = SHA256.hash(data: Array(client))
        return "SCRAM-SHA-256$\(iterations):\(base64(salt))$\(base64(stored)):\(base64(server))"
    }

    /// Returns the first block of PBKDF2.
    private static func derived(from password: SymmetricKey, salt: [UInt8]) -> [UInt8] {
        var block = Array(HMAC<SHA256>.authenticationCode(for: salt + [0, 0, 0, 1], using: password))
        var result = block
        for _ in 1..<iterations {
            block = Array(HMAC<SHA256>.authenticationCode(for: block, using: password))
            for index in result.indices { result[index] ^= block[index] }
        }
        return result
    }

    private static func base64(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }
}
