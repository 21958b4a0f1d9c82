import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The service streams bytes and does not keep them in memory.
    @Suite(.timeLimit(.minutes(4))) struct AssetMemoryTests {
        private static let megabyte = 1_000_000
        private static let limit = 100 * megabyte

        @Test func manyBytesNeedLittleMemory() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService(.asset)
                let client = stack.client()
                let chunk = randomBytes(Self.megabyte)
                let large = try await AssetClient.upload(chunk: chunk, count: 250, to: try await client.uploadURL())
                #expect(large.json["singleFile"]?["size"]?.int == 250 * Int64(Self.megabyte), "\(large.json)")
                try await withThrowingTaskGroup(of: Int64?.self) { group in
                    for _ in 0..<64 {
                        let url = try await client.uploadURL()
                        group.addTask {
                            // The contents differ only in their first chunk and in their length.
                            let response = try await AssetClient.upload(
                                chunk: randomBytes(Self.megabyte), count: 20, to: url)
                            return response.json["singleFile"]?["size"]?.int
                        }
                    }
                    for try await size in group { #expect(size == 20 * Int64(Self.megabyte)) }
                }
                let peak = try await service.peakMemory()
                print("peak memory of the asset service: \(peak / 1_048_576) MiB")
                #expect(peak < Self.limit)
                #expect(stack.blobFiles.count == 65)
            }
        }

        @Test func lengthOverTheLimitIsRefusedBeforeAndWhileTheBytesCome() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.asset, ["ZONDA_ASSET_MAX_BYTES": "1000000"])
                let client = stack.client()
                let reported = try await AssetClient.upload(randomBytes(1_000_001), to: try await client.uploadURL())
                #expect(reported.status == 413)
                #expect(reported.json["limit"] == 1_000_000)
                let chunk = randomBytes(100_000)
                let untold = try await AssetClient.upload(chunk: chunk, count: 11, to: try await client.uploadURL())
                #expect(untold.status == 413)
                #expect(untold.json["limit"] == 1_000_000)
                let fits = try await AssetClient.upload(chunk: chunk, count: 10, to: try await client.uploadURL())
                #expect(fits.status == 200)
                try await eventually("nothing is left") { stack.incomingFiles.isEmpty ? true : nil }
                #expect(stack.blobFiles.count == 1)
            }
        }
    }
}
