internal import NIOSSL
internal import ServiceRuntime

/// The certificate and key of the server.
enum TLSFiles {
    /// Returns a configuration for TLS 1.2 and later, with the certificate chain and the key from two PEM files; nil if
    /// neither is set. The files are read only when the gateway starts.
    ///
    /// - Throws: a ``SettingError`` if only one is set, a file cannot be read, or the key belongs to another
    ///   certificate.
    static func configuration(
        certificate: (variable: String, path: String?), key: (variable: String, path: String?)
    ) throws(SettingError) -> TLSConfiguration? {
        switch (certificate.path, key.path) {
        case (nil, nil): return nil
        case (nil, .some): throw SettingError(certificate.variable, "must be set together with \(key.variable)")
        case (.some, nil): throw SettingError(key.variable, "must be set together with \(certificate.variable)")
        case (.some(let certificatePath), .some(let keyPath)):
            let chain = try read(certificate.variable, "must name a PEM file that contains certificates") {
                try NIOSSLCertificate.fromPEMFile(certificatePath)
            }
            guard !chain.isEmpty else {
                throw SettingError(certificate.variable, "must name a PEM file that contains certificates")
            }
            let privateKey = try read(key.variable, "must name a PEM file that contains a private key") {
                try NIOSSLPrivateKey(file: keyPath, format: .pem)
            }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            let checked = configuration
            _ = try read(key.variable, "must name a PEM file that contains the certificate's private key") {
                try NIOSSLContext(configuration: checked)
            }
            return configuration
        }
    }

    private static func read<Value>(
        _ variable: String, _ rule: String, _ body: () throws -> Value
    ) throws(SettingError) -> Value {
        do {
            return try body()
        } catch {
            // The error itself might contain part of the file.
            throw SettingError(variable, rule)
        }
    }
}
