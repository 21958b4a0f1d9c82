import CloudKitModel
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import CloudKit

@Suite(.timeLimit(.minutes(1))) struct CertificateTests {
    /// Answers every request with `{}`.
    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "2"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "{}")))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    private static func serve(_ folder: URL) async throws -> any Channel {
        let certificates = try NIOSSLCertificate.fromPEMFile(folder.appending(path: "server.pem").path)
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: certificates.map { .certificate($0) },
                privateKey: .privateKey(
                    try NIOSSLPrivateKey(file: folder.appending(path: "server.key").path, format: .pem))))
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Answer())
                }
            }
            .bind(host: "localhost", port: 0).get()
    }

    @Test("A certificate that is not trusted is a network failure that says so; a trusted one is accepted")
    func certificates() async throws {
        try await TestCertificates.with("server", "other") { folder in
            let server = try await Self.serve(folder)
            let port = try #require(server.localAddress?.port)
            func connection(trusting name: String?) throws -> WebConnection {
                let file = name.map { folder.appending(path: "\($0).pem").path }
                let place = ConnectionPlace(
                    url: "https://localhost:\(port)", container: "c", environment: "development",
                    proof: .apiToken("t"), certificateFile: file)
                return try WebConnection(place, session: nil, client: try HTTPClients.client(trusting: file))
            }
            let request = WebRequest("records/query", in: .public)
            for name in [nil, "other"] {
                let error = try await #require(throws: CKError.self) {
                    try await connection(trusting: name).send(request)
                }
                #expect(error.code == .networkFailure)
                #expect(error.localizedDescription.contains("certificate"))
                #expect(error.userInfo[NSUnderlyingErrorKey] != nil)
            }
            #expect(try await connection(trusting: "server").send(request) == Array("{}".utf8))
            let missing = try #require(throws: CKError.self) { try connection(trusting: "missing") }
            #expect(missing.code == .networkFailure)
            try await server.close()
        }
    }
}
