import CloudKitWire
import Crypto
import Foundation
import RequestServing
import ServiceMessages
import SignedTokens
import TestSupport
import Testing

@testable import AssetService
@testable import BlobStorage

extension HTTPStack {
    /// Sends a request whose answer is preceded by an interim answer.
    func final(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8] = []
    ) async throws -> HTTPReply {
        let conversation = try HTTPConversation(port: port)
        let fields = headers.merging(["Host": "localhost", "Content-Length": String(body.count)]) { $1 }
        await conversation.send(Self.head(method, path, fields))
        await conversation.send(body)
        let reply = try await conversation.reply()
        return reply.status == 104 ? try await conversation.reply() : reply
    }

    /// Runs another server with the same database and store while `body` runs.
    func withAnotherInstance(_ body: (HTTPStack) async throws -> Void) async throws {
        let parts = AssetServiceParts(
            stack.configuration, store: DirectoryBlobStore(root: stack.directory.path), pool: stack.pool,
            host: stack.host)
        try await HTTPStack.serve(stack, parts.http, body)
    }

    /// Waits until the server has written some bytes of an upload that can be resumed.
    func waitUntilSomeCame() async throws {
        try await within(.seconds(20), "some bytes") { [stack] in
            while stack.files("partial").allSatisfy({ name in
                let file = stack.directory.appending(path: "partial/\(name)").path
                return (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0 == 0
            }) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }
}
