internal import Crypto
internal import Foundation

/// An `apnsToken`: a bearer token that allows its holder to register a client, inspect that client and read its
/// notifications.
///
/// The token is 32 bytes long: the environment, a random seed, a hint that identifies the signing key, and a signature.
/// Because of the signature, a token cannot be forged, and the server can verify it even if the table of clients has been lost. Tables
/// and logs identify a client by the ``name``, from which the token cannot be derived.
package struct ClientToken: Hashable, Sendable {
    /// The APNs environment that the client declares. It is independent of the environment of the client's records
    /// (web-services 8.1).
    package enum Environment: String, CaseIterable, Hashable, Sendable {
        case development
        case production

        fileprivate var byte: UInt8 { self == .development ? 1 : 2 }
    }

    /// The length of the seed in bytes. Together with the environment, hint and signature, a token is 32 bytes long, as
    /// clients expect.
    private static let seedLength = 13
    /// The number of digest bytes in the name. Half of the digest suffices to avoid collisions and is short enough that
    /// a hundred names fit in a message's headers.
    private static let nameLength = 16

    /// The environment for which the token was issued.
    package let environment: Environment
    /// The random part of the signed payload. It does not have to be kept secret, because the token cannot be derived
    /// from it without the keys.
    package let seed: [UInt8]
    private let bytes: [UInt8]

    private init(_ environment: Environment, _ seed: [UInt8], _ bytes: [UInt8]) {
        self.environment = environment
        self.seed = seed
        self.bytes = bytes
    }

    /// Issues a new token.
    package init(_ environment: Environment, with keys: SigningKeys) {
        let seed = (0..<Self.seedLength).map { _ in UInt8.random(in: .min ... .max) }
        self.init(environment, seed, keys.sign([environment.byte] + seed))
    }

    /// Restores the token that was issued for `seed` and has the name `name`; nil if the key that signed it has been
    /// removed.
    package init?(_ environment: Environment, seed: [UInt8], name: String, with keys: SigningKeys) {
        let tokens = keys.signatures(of: [environment.byte] + seed).map { Self(environment, seed, $0) }
        guard let token = tokens.first(where: { $0.name == name }) else { return nil }
        self = token
    }

    /// Parses and verifies ``text``; nil if it is not a token signed by one of `keys`.
    package init?(_ text: String, with keys: SigningKeys) {
        guard text.utf8.count <= 64, let bytes = Data(base64Encoded: text) else { return nil }
        self.init(Array(bytes), keys)
    }

    /// Parses and verifies ``urlText``; nil if it is not a token signed by one of `keys`.
    package init?(url text: some StringProtocol, with keys: SigningKeys) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes, keys)
    }

    private init?(_ bytes: [UInt8], _ keys: SigningKeys) {
        guard let payload = keys.verify(bytes), payload.count == 1 + Self.seedLength,
            let environment = Environment.allCases.first(where: { $0.byte == payload[0] })
        else { return nil }
        self.init(environment, Array(payload.dropFirst()), bytes)
    }

    /// The token as clients receive it, in standard base64, which one existing client expects.
    package var text: String { Data(bytes).base64EncodedString() }

    /// The token in URL-safe base64.
    package var urlText: String { Base64URL.encode(bytes) }

    /// The name of the client's queue and rows: the hexadecimal digits of a digest of the token.
    package var name: String { Hexadecimal.encode(SHA256.hash(data: bytes).prefix(Self.nameLength)) }
}

extension ClientToken: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "client \(name)" }
    package var debugDescription: String { description }
}
