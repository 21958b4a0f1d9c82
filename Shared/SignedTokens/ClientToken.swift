internal import Crypto
internal import Foundation

/// An `apnsToken`: who has it may register a client with it, look at the client and read its notifications.
///
/// 32 bytes: the environment, a random seed, and the signature of both, which makes it ours and not to be guessed. So a
/// token is known without a table, also after the table was lost. What is kept and logged is its ``name``, from which
/// it cannot be found.
package struct ClientToken: Hashable, Sendable {
    /// Apple's environment that the client says it belongs to; independent of the records' (web-services 8.1).
    package enum Environment: String, CaseIterable, Hashable, Sendable {
        case development
        case production

        fileprivate var byte: UInt8 { self == .development ? 1 : 2 }
    }

    /// With environment, hint and signature 32 bytes, which is what clients expect of a token.
    private static let seedLength = 13
    /// Half of the digest: enough to keep names apart, and a hundred of them fit a message's headers.
    private static let nameLength = 16

    /// The environment that it was made for.
    package let environment: Environment
    /// What its signature is of; no secret without the keys.
    package let seed: [UInt8]
    private let bytes: [UInt8]

    private init(_ environment: Environment, _ seed: [UInt8], _ bytes: [UInt8]) {
        self.environment = environment
        self.seed = seed
        self.bytes = bytes
    }

    /// A new token.
    package init(_ environment: Environment, with keys: SigningKeys) {
        let seed = (0..<Self.seedLength).map { _ in UInt8.random(in: .min ... .max) }
        self.init(environment, seed, keys.sign([environment.byte] + seed))
    }

    /// The token that was made of `seed` and is known as `name`; nil when the key that signed it is gone.
    package init?(_ environment: Environment, seed: [UInt8], name: String, with keys: SigningKeys) {
        let tokens = keys.signatures(of: [environment.byte] + seed).map { Self(environment, seed, $0) }
        guard let token = tokens.first(where: { $0.name == name }) else { return nil }
        self = token
    }

    /// Reads ``text``; nil when it is none, or none of ours.
    package init?(_ text: String, with keys: SigningKeys) {
        guard text.utf8.count <= 64, let bytes = Data(base64Encoded: text) else { return nil }
        self.init(Array(bytes), keys)
    }

    /// Reads ``urlText``; nil when it is none, or none of ours.
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

    /// As clients have it: base64, which one of them decodes.
    package var text: String { Data(bytes).base64EncodedString() }

    /// As it stands in a URL.
    package var urlText: String { Base64URL.encode(bytes) }

    /// What its queue and its rows are called: hexadecimal digits of a digest.
    package var name: String { Hexadecimal.encode(SHA256.hash(data: bytes).prefix(Self.nameLength)) }
}

extension ClientToken: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "client \(name)" }
    package var debugDescription: String { description }
}
