import CommandLineSession
import Synchronization
import TestGenerators

/// The numbered contents of a run. The bytes are generated from the number, so that the same content can be uploaded
/// again without being kept in memory. May be used on any thread.
final class AssetContents: Sendable {
    private let seed: UInt64
    private let sizeBytes: Int
    private let usedCount = Atomic(0)

    /// Creates contents of `sizeBytes` on average.
    init(seed: UInt64, sizeBytes: Int) {
        self.seed = seed
        self.sizeBytes = sizeBytes
    }

    /// The number of contents used so far. They are numbered from 0.
    var count: Int { usedCount.load(ordering: .relaxed) }

    /// Returns the number of a new content.
    func new() -> Int { usedCount.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// Returns the number of a random content that some slot has used; nil if there is none.
    func used(_ random: inout some RandomNumberGenerator) -> Int? {
        let count = usedCount.load(ordering: .relaxed)
        return count > 0 ? Int.random(in: 0..<count, using: &random) : nil
    }

    /// Returns the bytes of content `number`, whose size is from 0.5 to 1.5 times the average.
    func bytes(of number: Int) -> AssetBytes {
        var random = SeededGenerator(seed: seed ^ (UInt64(number) &* 0x9E37_79B9_7F4A_7C15))
        let count = Int.random(in: (sizeBytes / 2)...(sizeBytes + sizeBytes / 2), using: &random)
        return AssetBytes(
            [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, initialized in
                let raw = UnsafeMutableRawBufferPointer(buffer)
                for offset in stride(from: 0, to: count, by: 8) {
                    raw.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
                }
                initialized = count
            })
    }
}
