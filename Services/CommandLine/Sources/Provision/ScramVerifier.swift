import Crypto
import FoundationEssentials

/// What PostgreSQL keeps of a password (RFC 5802 and 7677): enough to check it, not enough to log in. Sent in its place,
/// the password is in no statement, and so in no log of the server.
enum ScramVerifier {
    /// PostgreSQL's own default.
    private static let iterations = 4096

    /// The verifier as `alter role … password` takes it; another one each time.
    ///
    /// - Throws: ``ProvisionError`` when the password has something else than printable ASCII, which servers and clients
    ///   would bring into a normal form first.
    static func verifier(of password: String) throws(ProvisionError) -> String {
        guard password.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw ProvisionError("a role's password may have printable ASCII characters only")
        }
        var random = SystemRandomNumberGenerator()
        return verifier(of: password, salt: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// The same with a salt.
    static func verifier(of password: String, salt: [UInt8]) -> String {
        let salted = SymmetricKey(data: derived(from: SymmetricKey(data: Array(password.utf8)), salt: salt))
        let client = HMAC<SHA256>.authenticationCode(for: Array("Client Key".utf8), using: salted)
        let server = HMAC<SHA256>.authenticationCode(for: Array("Server Key".utf8), using: salted)
        let stored = SHA256.hash(data: Array(client))
        return "SCRAM-SHA-256$\(iterations):\(base64(salt))$\(base64(stored)):\(base64(server))"
    }

    /// PBKDF2, one block of it.
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
