/// An upload that can span several requests. At most one request holds it at a time.
package protocol PartialUpload: BlobUpload {
    /// Removes the bytes that this request has appended.
    func rewind() async throws(BlobStoreError)
}

/// The resumable uploads of a store. Any instance of the service can resume them. An upload consists only of its name
/// and its bytes, so it survives a restart of the service.
///
/// When an upload has ended, a note under its name records the result for a client that missed the answer.
package protocol PartialUploads: Sendable {
    /// Begins an upload with a name that is not in use. Reads the list of waiting uploads.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of waiting uploads.
    ///   - databaseLimit: the maximum number of waiting uploads per database.
    func begin(_ name: PartialName, limit: Int, databaseLimit: Int) async throws(BlobStoreError) -> PartialUploadStart

    /// Returns the total sizes, in bytes, of the waiting uploads to the database and to the container of `name`,
    /// excluding the upload `name` itself. For each upload, the larger of its announced size and its current size is
    /// added. Reads the list of waiting uploads, and the sizes of the uploads to this container.
    func waitingBytes(besides name: PartialName) async throws(BlobStoreError) -> (database: Int64, container: Int64)

    /// Takes an upload, unless it last changed more than `life` ago.
    func take(_ name: PartialName, life: Duration) async throws(BlobStoreError) -> PartialUploadState

    /// Stores a note under the name of an upload that has ended. Does nothing if there are too many notes.
    func note(_ text: String, under name: PartialName) async throws(BlobStoreError)

    /// Removes the note about an upload. Returns false if there is none.
    func removeNote(_ name: PartialName) async throws(BlobStoreError) -> Bool

    /// Removes uploads and notes that have not changed for `life` and are not held by a request.
    ///
    /// - Returns: the number of files removed.
    func removeExpired(life: Duration) async throws(BlobStoreError) -> Int
}

/// The result of beginning an upload.
package enum PartialUploadStart: Sendable {
    case upload(any PartialUpload)
    /// `limit` uploads are already waiting.
    case tooMany(limit: Int)
}

/// The result of taking an upload.
package enum PartialUploadState: Sendable {
    /// The upload was waiting and is now held by the caller.
    case upload(any PartialUpload)
    /// The upload has ended, with this note.
    case ended(String)
    /// Another request holds the upload.
    case inUse
    case absent
}
