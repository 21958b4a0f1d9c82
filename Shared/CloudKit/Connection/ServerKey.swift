internal import Crypto

/// A server-to-server key, which signs requests (web-services 4.4).
struct ServerKey: Sendable {
    private let id: String
    private let key: P256.Signing.PrivateKey

    /// Reads a key.
    ///
    /// - Parameter pem: PEM text with a P-256 private key. Other blocks, such as the parameters that openssl writes, are
    ///   skipped.
    /// - Throws: ``CKError/Code/notAuthenticated`` if there is no such key.
    init(id: String, pem: String) throws(CKError) {
        self.id = id
        for name in ["EC PRIVATE KEY", "PRIVATE KEY"] {
            guard let start = pem.range(of: "-----BEGIN \(name)-----"),
                let end = pem.range(of: "-----END \(name)-----"),
                start.lowerBound < end.lowerBound
            else { continue }
            if let key = try? P256.Signing.PrivateKey(
                pemRepresentation: String(pem[start.lowerBound..<end.upperBound]))
            {
                self.key = key
                return
            }
        }
        throw CKError(
            .notAuthenticated,
            "The server-to-server key is not a P-256 private key in PEM. Create one with 'openssl ecparam -name prime256v1 -genkey -noout'."
        )
    }

    /// Returns the headers that sign a request.
    ///
    /// - Parameter target: the path and the query as they are sent.
    func headers(target: String, body: [UInt8], at date: Date) throws(CKError) -> [(name: String, value: String)] {
        let date = date.formatted(.iso8601)
        let hash = Data(SHA256.hash(data: body)).base64EncodedString()
        do {
            let signature = try key.signature(for: Data("\(date):\(hash):\(target)".utf8))
            return [
                ("X-Apple-CloudKit-Request-KeyID", id), ("X-Apple-CloudKit-Request-ISO8601Date", date),
                ("X-Apple-CloudKit-Request-SignatureV1", signature.derRepresentation.base64EncodedString()),
            ]
        } catch {
            throw CKError(.internalError, "The request cannot be signed.", underlying: error)
        }
    }
}
