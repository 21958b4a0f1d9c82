package import Foundation

/// The storage for the bytes of blobs. The `asset.blob` table, not the store, records which blobs are in use.
///
/// Once a file is visible under its key, it is complete, survives a power failure and never changes.
package protocol BlobStore: Sendable {
    /// Returns a new generation for a file that is about to be committed. The keys of new files must have generations
    /// from this method, because in some stores the generation determines how a file is stored.
    func makeGeneration() -> UUID

    /// Begins an upload. The caller must end it with ``BlobUpload/commit(as:)`` or ``BlobUpload/discard()``.
    func makeUpload() async throws(BlobStoreError) -> any BlobUpload

    /// The uploads that can be resumed; nil if the store does not support resuming uploads.
    var partials: (any PartialUploads)? { get }

    /// Returns the size of the file `key`, in bytes; nil if it does not exist.
    func size(of key: BlobKey) async throws(BlobStoreError) -> Int64?

    /// Opens a file for reading. Returns nil if the file does not exist. If an open file is removed, later reads either
    /// return its bytes or throw. They never return the bytes of a different file.
    func open(_ key: BlobKey) async throws(BlobStoreError) -> (any BlobReader)?

    /// Removes a file if it exists.
    func remove(_ key: BlobKey) async throws(BlobStoreError)

    /// Removes files left behind by uploads whose process has exited.
    ///
    /// - Returns: the number of files removed.
    func removeAbandonedUploads() async throws(BlobStoreError) -> Int

    /// Reads one page of the store's files, in a stable order. A page corresponds to one page of an S3
    /// listing or to one folder.
    ///
    /// - Parameters:
    ///   - place: ``BlobPage/next`` of the previous page; nil for the first page.
    ///   - age: the minimum age of the files in the result.
    func page(after place: String?, olderThan age: Duration) async throws(BlobStoreError) -> BlobPage

    /// Moves a file to the trash, if it exists. A file in the trash is not a blob, but ``recover(_:)`` finds it.
    func discard(_ key: BlobKey) async throws(BlobStoreError)

    /// Moves a file back from the trash. Returns false if the trash does not contain the file.
    func recover(_ key: BlobKey) async throws(BlobStoreError) -> Bool

    /// Removes a limited number of files that have been in the trash for longer than `age`.
    ///
    /// - Returns: the number of files removed.
    func emptyTrash(olderThan age: Duration) async throws(BlobStoreError) -> Int

    /// Reads the mark that ties the store to a database. Returns nil if the store has no mark yet.
    func mark() async throws(BlobStoreError) -> StoreMark?

    /// Gives the store its permanent id.
    ///
    /// - Throws: ``BlobStoreError``, for example if the store already has a different id.
    func identify(as id: UUID) async throws(BlobStoreError)

    /// Replaces the mark.
    func setMark(_ mark: StoreMark) async throws(BlobStoreError)

    /// Checks that files can currently be written, and that there is enough space for uploads.
    func check() async throws(BlobStoreError)

    /// Returns the free space in bytes; nil if the store does not report it.
    func freeBytes() async -> Int64?
}

extension BlobStore {
    /// A random version 4 UUID.
    package func makeGeneration() -> UUID { UUID() }

    package var partials: (any PartialUploads)? { nil }

    package func freeBytes() async -> Int64? { nil }

    /// Returns the id in the store's mark; nil if there is no mark yet.
    package func identity() async throws(BlobStoreError) -> UUID? { try await mark()?.id }

    /// Calls `body` with each page of files that are older than `age`.
    package func forEachPage(olderThan age: Duration, _ body: ([BlobKey]) async throws -> Void) async throws {
        var place: String?
        repeat {
            let page = try await page(after: place, olderThan: age)
            if !page.keys.isEmpty { try await body(page.keys) }
            place = page.next
        } while place != nil
    }
}

/// A page of a store's files, in the store's order.
package struct BlobPage: Sendable {
    /// The files on the page that have reached the minimum age.
    package var keys: [BlobKey]
    /// The place to continue from; nil after the last page.
    package var next: String?
}
