package import CloudKitModel
internal import Crypto
package import Foundation
package import SignedTokens

/// The proof that a user has signed in: `ckWebAuthToken` (web-services 4.3).
///
/// Its text consists of 120 lower-case hexadecimal digits, which encode 60 bytes: form, environment, session, expiry,
/// half a digest of the container, and a signature over all of these. Clients require at least 100 characters of
/// `[A-Za-z0-9+/=_]` and no `;`. Hexadecimal digits also remain unchanged no matter how clients escape a token. A token
/// is valid until it expires, as long as its session exists. New tokens can therefore be issued without a write, and
/// older ones remain valid.
package struct WebAuthToken: Sendable, Hashable {
    private static let form: UInt8 = 1
    private static let payloadLength = 1 + 1 + 16 + 8 + containerLength
    private static let containerLength = 16

    /// The id of the token's session.
    package let session: UUID
    /// The time at which the token expires, in milliseconds since 1970.
    package let expiresAt: Int64
    private let environment: EnvironmentName
    private let container: [UInt8]

    /// Creates a token for a session in a container's environment.
    package init(session: UUID, container: String, environment: EnvironmentName, expiresAt: Int64) {
        self.session = session
        self.expiresAt = expiresAt
        self.environment = environment
        self.container = Self.digest(container)
    }

    /// Parses ``text(with:)``; nil if the text is not a token that these keys signed.
    package init?(_ text: String, with keys: SigningKeys) {
        guard text.utf8.count <= 256, let signed = Hexadecimal.decode(text), let payload = keys.verify(signed),
            payload.count == Self.payloadLength
        else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt8.self) == Self.form,
            let environment = reader.read(UInt8.self).flatMap(Self.environment),
            let session = reader.readRaw(16), let expiresAt = reader.read(Int64.self),
            let container = reader.readRaw(Self.containerLength)
        else { return nil }
        self.session = session.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        self.expiresAt = expiresAt
        self.environment = environment
        self.container = container
    }

    /// Returns the token as clients receive it.
    package func text(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(Self.form)
        writer.append(UInt8(environment == .development ? 1 : 2))
        writer.append(raw: withUnsafeBytes(of: session.uuid) { Array($0) })
        writer.append(expiresAt)
        writer.append(raw: container)
        return Hexadecimal.encode(keys.sign(writer.bytes))
    }

    /// Returns the time at which the token was issued, in milliseconds since 1970.
    ///
    /// - Parameter staysSignedIn: the value in the token's session, which determines how long the token is valid.
    package func madeAt(staysSignedIn: Bool) -> Int64 { expiresAt - Session.tokenLife(staysSignedIn: staysSignedIn) }

    /// Returns whether the token was issued for the given environment and is valid at `now` (milliseconds since 1970).
    package func isValid(container: String, environment: EnvironmentName, at now: Int64) -> Bool {
        self.container == Self.digest(container) && self.environment == environment && now < expiresAt
    }

    private static func environment(_ byte: UInt8) -> EnvironmentName? {
        switch byte {
        case 1: .development
        case 2: .production
        default: nil
        }
    }

    private static func digest(_ container: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(container.utf8)).prefix(containerLength))
    }
}
