import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Encryption at rest with the real service: the bytes on the disk, and the bytes that clients receive.
    @Suite(.timeLimit(.minutes(3))) struct AssetEncryptionTests {
        @Test func filesAreEncryptedAndComeBackAlsoAfterTheKeyHasChanged() async throws {
            try await ServiceStack.with { stack in
                let keys = stack.assetFolder.appending(path: "../master-keys").standardizedFileURL
                let settings = ["ZONDA_ASSET_ENCRYPTION_KEYS_FILE": keys.path, "ZONDA_ASSET_SWEEP": "1s"]
                func write(_ lines: [String]) throws {
                    try lines.joined(separator: "\n").write(to: keys, atomically: true, encoding: .utf8)
                }
                let (old, new) = ("k1:\(Self.secret())", "k2:\(Self.secret())")
                let client = stack.client()
                let text = Array(String(repeating: "what nobody else may read ", count: 20_000).utf8)
                let before = Array("from before encryption".utf8)

                // Encryption is switched on, and the files that are already stored are encrypted too.
                var asset = try await stack.startService(.asset)
                try await stack.startService()
                try await client.zones("create", "Notes")
                try await client.save("Notes", "before", ["file": try await client.upload(before)])
                try await Self.stop(asset)
                try write([old])
                asset = try await stack.startService(.asset, settings)
                try await client.save("Notes", "a", ["file": try await client.upload(text)])
                try await Self.encrypted(asset, key: "k1")
                #expect(try Self.onDisk(stack, "nobody else may read") == false)
                #expect(try Self.onDisk(stack, "from before") == false)
                try await Self.expect(text, of: client)
                try await Self.stop(asset)

                // With another key, everything is readable immediately, and later without the old key.
                try write([new, old])
                asset = try await stack.startService(.asset, settings)
                try await Self.expect(text, of: client)
                try await Self.encrypted(asset, key: "k2")
                try await Self.stop(asset)
                try write([new])
                asset = try await stack.startService(.asset, settings)
                try await Self.expect(text, of: client)
                #expect(try await client.bytes("Notes", "before") == before)
                #expect(stack.blobFiles.count == 2)
                #expect(!(await asset.everythingTold()).contains(new.dropFirst(3)))
                try await Self.stop(asset)

                // A blob whose key is missing is not served. All others are.
                try write(["k3:\(Self.secret())"])
                asset = try await stack.startService(.asset, settings)
                let refused = try await AssetClient.get(try await client.downloadURL("Notes", "a"))
                #expect(refused.status == 503)
                #expect(asset.log.contains("'k2'"))
                try await client.save("Notes", "b", ["file": try await client.upload(before + text)])
                #expect(try await client.bytes("Notes", "b") == before + text)
            }
        }

        private static func secret() -> String { Data(randomBytes(32)).base64EncodedString() }

        private static func stop(_ service: ServiceProcess) async throws {
            service.terminate()
            try await service.exit(within: .seconds(20))
        }

        private static func encrypted(_ service: ServiceProcess, key: String) async throws {
            try await eventually("all blobs are encrypted with \(key)") {
                service.log.split(separator: "\n").contains {
                    $0.contains("all blobs are encrypted with the first master key") && $0.contains("\"\(key)\"")
                } ? true : nil
            }
            #expect(try await service.metric("zonda_asset_blobs_to_encrypt") == 0)
        }

        /// Returns whether a file of the store contains a text.
        private static func onDisk(_ stack: ServiceStack, _ text: String) throws -> Bool {
            let files = FileManager.default.enumerator(at: stack.assetFolder, includingPropertiesForKeys: nil)
            return try (files?.allObjects ?? []).compactMap { $0 as? URL }.contains {
                guard (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true else { return false }
                return try Data(contentsOf: $0).range(of: Data(text.utf8)) != nil
            }
        }

        private static func expect(_ text: [UInt8], of client: TestClient) async throws {
            let url = try await client.downloadURL("Notes", "a")
            #expect(try await AssetClient.get(url).body == text)
            for (range, part) in [
                ("bytes=65530-65545", text[65_530...65_545]), ("bytes=131072-131072", text[131_072...131_072]),
                ("bytes=-7", text.suffix(7)),
            ] {
                let response = try await AssetClient.get(url, headers: ["range": range])
                #expect(response.status == 206)
                #expect(response.body == Array(part), "\(range)")
            }
        }
    }
}
