package import Foundation
package import NIOCore

/// Where the bytes of blobs are. Which of them are wanted is not its business: that is in `asset.blob`.
///
/// A file is complete and safe from a power failure when it appears under its key, and never changes afterwards.
package protocol BlobStore: Sendable {
    /// The generation of a file that is about to be committed; another one each time. Generations of no other origin may
    /// be in the keys of new files: some stores tell by it how a file is kept.
    func makeGeneration() -> UUID

    /// Begins to take bytes. Ends with ``BlobUpload/commit(as:)`` or ``BlobUpload/discard()``.
    func makeUpload() async throws(BlobStoreError) -> any BlobUpload

    /// The uploads that may be resumed; nil when the store has none.
    var partials: PartialUploads? { get }

    /// The size in bytes of what is kept under `key`; nil when there is nothing.
    func size(of key: BlobKey) async throws(BlobStoreError) -> Int64?

    /// Opens a file for reading; nil when there is none. What is open and then removed stays readable, or reading it
    /// throws: it never gives other bytes.
    func open(_ key: BlobKey) async throws(BlobStoreError) -> (any BlobReader)?

    /// Removes a file; nothing happens when there is none.
    func remove(_ key: BlobKey) async throws(BlobStoreError)

    /// Removes what uploads left behind whose process is gone.
    ///
    /// - Returns: how many.
    func removeAbandonedUploads() async throws(BlobStoreError) -> Int

    /// The next files of a walk over all of them, in an order that stays: a page of a listing, or a folder.
    ///
    /// - Parameters:
    ///   - place: ``BlobPage/next`` of the page before; nil: the beginning.
    ///   - age: only files that were written longer ago are told.
    func page(after place: String?, olderThan age: Duration) async throws(BlobStoreError) -> BlobPage

    /// Puts a file away, where it is no blob any more and can be had back; nothing happens when there is none.
    func discard(_ key: BlobKey) async throws(BlobStoreError)

    /// Takes back what ``discard(_:)`` put away; false when it is not there.
    func recover(_ key: BlobKey) async throws(BlobStoreError) -> Bool

    /// Removes what was put away longer than `age` ago, a bounded number at a time.
    ///
    /// - Returns: how many.
    func emptyTrash(olderThan age: Duration) async throws(BlobStoreError) -> Int

    /// By which the store is known to belong to a database; nil when it was given none yet.
    func mark() async throws(BlobStoreError) -> StoreMark?

    /// Gives the store its id, for good: throws when it has another one.
    func identify(as id: UUID) async throws(BlobStoreError)

    /// Replaces the mark.
    func setMark(_ mark: StoreMark) async throws(BlobStoreError)

    /// Tries whether a file can be written now, and whether there is room for uploads.
    func check() async throws(BlobStoreError)

    /// The room that is left, in bytes; nil when the store does not know.
    func freeBytes() async -> Int64?
}

extension BlobStore {
    /// A random one, of version 4.
    package func makeGeneration() -> UUID { UUID() }

    package var partials: PartialUploads? { nil }

    package func freeBytes() async -> Int64? { nil }

    /// The id of ``mark()``.
    package func identity() async throws(BlobStoreError) -> UUID? { try await mark()?.id }

    /// Walks all files that were written longer than `age` ago, a page at a time.
    package func forEachPage(olderThan age: Duration, _ body: ([BlobKey]) async throws -> Void) async throws {
        var place: String?
        repeat {
            let page = try await page(after: place, olderThan: age)
            if !page.keys.isEmpty { try await body(page.keys) }
            place = page.next
        } while place != nil
    }
}

/// Some files of a store, in its order.
package struct BlobPage: Sendable {
    /// Those that are old enough.
    package var keys: [BlobKey]
    /// Where the walk goes on; nil at its end.
    package var next: String?
}

/// What a store says of the database that it belongs to.
package struct StoreMark: Sendable, Equatable {
    /// The id that both carry.
    package var id: UUID
    /// How often the store was adopted: it belongs to the database that has the same number.
    package var epoch: Int64

    /// A mark of those parts.
    package init(id: UUID, epoch: Int64 = 1) { (self.id, self.epoch) = (id, epoch) }

    /// Reads ``text``; nil for anything else. Without a number the epoch is 1.
    init?(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard let first = words.first, words.count <= 2, let id = UUID(uuidString: String(first)) else { return nil }
        guard let epoch = words.count == 1 ? 1 : Int64(words[1]) else { return nil }
        self.init(id: id, epoch: epoch)
    }

    /// A line. The first epoch is left out, as before there were any.
    var text: String { id.uuidString.lowercased() + (epoch == 1 ? "" : " \(epoch)") + "\n" }
}

/// Bytes on their way into a store.
package protocol BlobUpload: Sendable {
    /// Adds bytes behind those before. One call at a time.
    func append(_ bytes: ByteBuffer) async throws(BlobStoreError)

    /// Makes what was added durable and visible under `key`.
    func commit(as key: BlobKey) async throws(BlobStoreError)

    /// Removes what was added, also when the task is cancelled; nothing happens after ``commit(as:)``.
    func discard() async

    /// Lets go of what was added, to be resumed; who cannot be resumed discards it.
    func suspend() async
}

extension BlobUpload {
    package func suspend() async { await discard() }
}

/// An open file.
package protocol BlobReader: Sendable {
    /// How many bytes it has.
    var size: Int64 { get }

    /// Up to `count` bytes from `offset` on, fewer only at the end.
    func read(at offset: Int64, count: Int) async throws(BlobStoreError) -> ByteBuffer
}

/// Why a store failed. It is trouble of ours: the same request may succeed later.
package struct BlobStoreError: Error, Sendable, CustomStringConvertible {
    /// What was tried and what came of it, for operators.
    package let description: String
    /// Whether the stored bytes are not those that were written: to try again is in vain, and only an upload of the same
    /// content heals them.
    package let isDamage: Bool
    /// Whether there is no room for what was to be written.
    package let isFull: Bool

    /// An error with that sentence.
    package init(_ description: String, isDamage: Bool = false, isFull: Bool = false) {
        self.description = description
        self.isDamage = isDamage
        self.isFull = isFull
    }
}
