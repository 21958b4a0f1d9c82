import AsyncHTTPClient
import Foundation
import GatewayTestSupport
import NIOCore
import NIOHTTP1
import NIOSSL
import ServiceRuntime
import TestSupport
import Testing

@testable import Gateway

/// Certificates from files, which are checked at the start.
@Suite(.timeLimit(.minutes(5))) struct TLSTests {
    @Test func clientsAreServedOverTLS() async throws {
        try await TestCertificates.with("one", "two") { folder in
            var setup = GatewayFront.Setup()
            setup.tls = try Self.configuration(folder, "one.pem", "one.key")
            try await GatewayFront.with(setup) { front in
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .file(folder.appending(path: "one.pem").path)
                let client = HTTPClient(configuration: HTTPClient.Configuration(tlsConfiguration: tls))
                let request = HTTPClientRequest(
                    url: "https://localhost:\(front.port)/database/1/c/development/private/zones/list")
                let response = try await client.execute(request, timeout: .seconds(20))
                #expect(response.status.code == 200)
                _ = try await response.body.collect(upTo: 1 << 20)
                try await client.shutdown()
            }
        }
    }

    @Test func filesThatDoNotMatchAreRefused() async throws {
        try await TestCertificates.with("one", "two") { folder in
            #expect(Self.refusal(folder, nil, nil) == nil)
            #expect(Self.refusal(folder, "one.pem", "one.key") == nil)
            for (certificate, key, variable) in [
                ("one.pem", nil, "KEY"), (nil, "one.key", "CERT"), ("one.pem", "two.key", "KEY"),
                ("missing.pem", "one.key", "CERT"), ("one.key", "one.key", "CERT"), ("one.pem", "one.pem", "KEY"),
            ] {
                #expect(Self.refusal(folder, certificate, key)?.hasPrefix("\(variable): ") == true)
            }
        }
    }

    /// Returns the error for the given files; nil if they are valid.
    private static func refusal(_ folder: URL, _ certificate: String?, _ key: String?) -> String? {
        do throws(SettingError) {
            _ = try configuration(folder, certificate, key)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static func configuration(
        _ folder: URL, _ certificate: String?, _ key: String?
    ) throws(SettingError) -> TLSConfiguration? {
        try TLSFiles.configuration(
            certificate: ("CERT", certificate.map { folder.appending(path: $0).path }),
            key: ("KEY", key.map { folder.appending(path: $0).path }))
    }
}
