package import Foundation

/// Self-signed certificates for `localhost`.
package enum TestCertificates {
    /// Creates a folder with `NAME.pem` and `NAME.key` for each name, passes it to `body` and removes it.
    ///
    /// - Throws: the errors of `body`; ``TestFailure`` if openssl fails.
    package static func with<Result>(_ names: String..., body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in names { try make(name, in: folder) }
        return try await body(folder)
    }

    private static func make(_ name: String, in folder: URL) throws {
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            "-keyout", folder.appending(path: "\(name).key").path, "-out", folder.appending(path: "\(name).pem").path,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw TestFailure("openssl failed to create a certificate") }
    }
}
