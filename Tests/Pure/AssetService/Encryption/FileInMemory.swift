import NIOCore
import Synchronization

@testable import AssetService
@testable import BlobStorage

/// A file that is written and read in memory.
final class FileInMemory: BlobUpload, BlobReader {
    private let content: Mutex<[UInt8]>

    init(_ bytes: [UInt8] = []) { content = Mutex(bytes) }

    var bytes: [UInt8] { content.withLock { $0 } }
    var size: Int64 { Int64(bytes.count) }

    func append(_ bytes: ByteBuffer) async throws(BlobStoreError) {
        content.withLock { $0 += bytes.readableBytesView }
    }

    func read(at offset: Int64, count: Int) async throws(BlobStoreError) -> ByteBuffer {
        ByteBuffer(bytes: bytes.dropFirst(Int(offset)).prefix(count))
    }

    func commit(as key: BlobKey) async throws(BlobStoreError) {}
    func discard() async {}
}
