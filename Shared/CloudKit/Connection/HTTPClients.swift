internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The HTTP clients of the process: one for each set of trusted certificates. They live as long as the process, so that
/// containers share their connections.
enum HTTPClients {
    private static let clients = Mutex<[String?: HTTPClient]>([:])

    /// The number of HTTP/1.1 connections to one gateway.
    static let maxConnections = 8

    /// Returns the client that trusts the certificates in a PEM file, or those of the system.
    ///
    /// - Throws: ``CKError/Code/networkFailure`` if the file contains no certificate.
    static func client(trusting certificateFile: String?) throws(CKError) -> HTTPClient {
        if let client = clients.withLock({ $0[certificateFile] }) { return client }
        let configuration = try configuration(trusting: certificateFile)
        return clients.withLock { clients in
            if let client = clients[certificateFile] { return client }
            let client = HTTPClient(configuration: configuration)
            clients[certificateFile] = client
            return client
        }
    }

    /// The settings of a client. Redirects are refused, because they could lead credentials to another host. HTTP/2 is
    /// used where the server offers it.
    private static func configuration(
        trusting certificateFile: String?
    ) throws(CKError) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let certificateFile {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificateFile))
            } catch {
                throw CKError(
                    .networkFailure,
                    "The file \(certificateFile) contains no certificate. Set ZONDA_CERTIFICATE_FILE to a PEM file.",
                    underlying: error)
            }
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            // A peer that neither sends nor receives for this time is considered lost. A stream of events contains a
            // comment every 15 seconds.
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(10), read: .seconds(90), write: .seconds(90)))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = maxConnections
        // The connection repeats requests itself, so that an error is known at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
