internal import Foundation

/// The outer form of every token: standard base64 of signed bytes, as clients insist on
/// (web-services 2.8: OpenCloudKit decodes it and stops when it cannot).
enum SealedToken {
    static func seal(_ payload: [UInt8], with keys: SigningKeys) -> String {
        Data(keys.sign(payload)).base64EncodedString()
    }

    static func open(_ token: String, with keys: SigningKeys) -> [UInt8]? {
        guard token.utf8.count <= 16_384, let signed = Data(base64Encoded: token) else { return nil }
        return keys.verify(Array(signed))
    }
}
