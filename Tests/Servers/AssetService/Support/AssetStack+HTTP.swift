import CloudKitWire
import Foundation
import HTTPServing
import RequestServing
import ServiceMessages
import SignedTokens
import TestSupport

@testable import AssetService

/// The HTTP server of a stack, on a free port.
struct HTTPStack: Sendable {
    let stack: AssetStack
    let port: Int

    /// Runs the server of a stack while `body` runs.
    static func with(
        _ settings: [String: String] = [:], stallLimit: Duration? = nil,
        rateWindow: Duration? = nil,
        _ body: (HTTPStack) async throws -> Void
    ) async throws {
        try await AssetStack.with(settings) { stack in
            var server = stack.parts.http
            if let stallLimit { server.connections.stallLimit = stallLimit }
            if let window = rateWindow ?? stallLimit { server.connections.window = window }
            try await serve(stack, server, body)
        }
    }

    /// Runs a server of a stack while `body` runs.
    static func serve(
        _ stack: AssetStack, _ server: AssetHTTPServer, _ body: (HTTPStack) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var server = server
        server.port = 0
        server.onRunning = { port.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { [server] group in
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            for await port in ports {
                return try await body(HTTPStack(stack: stack, port: port))
            }
        }
    }

    /// Returns the path of an upload for the field `photo`.
    func uploadPath(to scope: AssetScope = AssetStack.scope, expiresIn seconds: Int64 = 60) -> String {
        let ticket = AssetUploadTicket(
            scope: scope, fieldName: "photo", expiresAt: SystemClock.milliseconds() + seconds * 1000)
        return AssetURL.upload(base: "", ticket: ticket.sealed(with: stack.configuration.uploadKeys))
    }

    /// Returns the path of a content's download, with the literal placeholder in place of the name.
    func downloadPath(_ checksum: AssetChecksum, expiresIn seconds: Int64 = 60) -> String {
        let grant = AssetDownloadGrant(
            scope: AssetStack.scope, checksum: checksum, expiresAt: SystemClock.milliseconds() + seconds * 1000)
        return AssetURL.download(base: "", grant: grant.sealed(with: stack.configuration.downloadKeys))
    }

    /// Sends one request on a separate connection.
    func ask(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8] = []
    ) async throws -> HTTPReply {
        let conversation = try HTTPConversation(port: port)
        var fields = headers.merging(["Host": "localhost"]) { $1 }
        if !body.isEmpty, fields["Content-Length"] == nil { fields["Content-Length"] = String(body.count) }
        await conversation.send(Self.head(method, path, fields))
        await conversation.send(body)
        return try await conversation.reply(isHead: method == "HEAD")
    }

    static func head(_ method: String, _ path: String, _ headers: [String: String]) -> String {
        "\(method) \(path) HTTP/1.1\r\n" + headers.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n"
    }

    /// Waits until the store has no unfinished uploads.
    func waitUntilNothingIsIncoming() async throws {
        try await within(.seconds(20), "the incoming file's end") { [stack] in
            // The server does not signal this, so the test looks at the folder.
            while !stack.files("incoming").isEmpty {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }
}

extension HTTPReply {
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
}
