internal import CLinux
internal import Glibc
internal import NIOCore

/// The uploads of a directory that may be resumed: one file each, appended to by one request after another, whichever
/// instance of the service that comes to. All that is known of one is its name and its bytes, so it outlives the service.
///
/// An upload that has ended leaves a note of what it was under its name, for a client that did not hear the answer.
package struct PartialUploads: Sendable {
    /// What is under a name.
    enum Found {
        case upload(PartialFile)
        /// It has ended: what its note says.
        case ended(String)
        /// Another request has it.
        case inUse
        case absent
    }

    private static let noteSuffix = ".ended"

    private let folder: String
    private let folders: BlobFolders
    private let threads: BlobThreads

    /// Those in `folder`, which become blobs in `folders`.
    init(folder: String, folders: BlobFolders, threads: BlobThreads) {
        self.folder = folder
        self.folders = folders
        self.threads = threads
    }

    /// Makes a file under a name of letters, digits, dots and hyphens that is not in use; nil when there are `limit`
    /// already.
    func begin(_ name: String, limit: Int) async throws(BlobStoreError) -> PartialFile? {
        try await threads.run { () throws(BlobStoreError) in
            guard try DirectoryBlobStore.names(in: folder).count < limit else { return nil }
            let path = path(name)
            guard let file = try OpenFile(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL), try file.lock(),
                try file.status().isLinked
            else { throw BlobStoreError("'\(path)' was taken away") }
            return PartialFile(file, path, offset: 0, for: folders, threads: threads)
        }
    }

    /// Takes what is under a name, unless nothing moved there for as long as `life`.
    func take(_ name: String, life: Duration) async throws(BlobStoreError) -> Found {
        try await threads.run { () throws(BlobStoreError) in
            let path = path(name)
            guard let file = try OpenFile(path, O_RDWR | O_APPEND) else {
                guard !DirectoryBlobStore.isOlder(path + Self.noteSuffix, than: life),
                    let note = try OpenFile(path + Self.noteSuffix, O_RDONLY)
                else { return .absent }
                return .ended(String(buffer: try note.read(at: 0, count: 1024)))
            }
            guard try file.lock() else { return .inUse }
            let status = try file.status()
            guard status.isLinked, !DirectoryBlobStore.isOlder(path, than: life) else { return .absent }
            return .upload(PartialFile(file, path, offset: status.size, for: folders, threads: threads))
        }
    }

    /// Leaves a note under the name of an upload that has ended.
    func note(_ text: String, under name: String) async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            guard let file = try OpenFile(path(name) + Self.noteSuffix, O_WRONLY | O_CREAT | O_EXCL) else { return }
            try file.write(ByteBuffer(string: text))
        }
    }

    /// Removes the note under a name; false when there is none.
    func removeNote(_ name: String) async throws(BlobStoreError) -> Bool {
        try await threads.run { () throws(BlobStoreError) in unlink(path(name) + Self.noteSuffix) == 0 }
    }

    /// Removes what nobody has and where nothing moved for longer than `life`.
    ///
    /// - Returns: how many.
    package func removeExpired(life: Duration) async throws(BlobStoreError) -> Int {
        try await threads.run { () throws(BlobStoreError) in
            var removed = 0
            for name in try DirectoryBlobStore.names(in: folder) {
                let path = path(name)
                // Its age is looked at with the lock: before, a request may have had it.
                guard DirectoryBlobStore.isOlder(path, than: life), let file = try OpenFile(path, O_WRONLY),
                    try file.lock(), DirectoryBlobStore.isOlder(path, than: life), unlink(path) == 0
                else { continue }
                file.empty()
                removed += 1
            }
            return removed
        }
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }
}
