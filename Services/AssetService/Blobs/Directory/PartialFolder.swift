internal import CLinux
internal import Glibc
internal import NIOCore

/// The resumable uploads in a folder: one file for each upload, to which successive requests append.
struct PartialFolder: PartialUploads {
    private static let noteSuffix = ".ended"
    /// If the folder contains this many files, no more notes are written. A client that missed its answer must then
    /// send everything again.
    private static let maxNotes = 10_000

    private let folder: String
    private let folders: BlobFolders
    private let space: DiskSpace
    private let threads: BlobThreads

    /// Creates an instance that manages the resumable uploads in `folder`. Completed uploads become blobs in `folders`.
    init(folder: String, folders: BlobFolders, space: DiskSpace, threads: BlobThreads) {
        self.folder = folder
        self.folders = folders
        self.space = space
        self.threads = threads
    }

    func begin(
        _ name: PartialName, limit: Int, databaseLimit: Int
    ) async throws(BlobStoreError) -> PartialUploadStart {
        try await threads.run { () throws(BlobStoreError) in
            try space.admit()
            let others = try waiting()
            guard others.count < limit else { return .tooMany(limit: limit) }
            let own = others.filter { $0.isOfSameDatabase(as: name) }
            guard own.count < databaseLimit else { return .tooMany(limit: databaseLimit) }
            let path = path(name)
            guard let file = try OpenFile(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL), try file.lock(),
                try file.status().isLinked
            else { throw BlobStoreError("'\(path)' was removed while it was being created") }
            return .upload(PartialFile(file, path, resumedBytes: 0, for: folders, threads: threads))
        }
    }

    func waitingBytes(besides name: PartialName) async throws(BlobStoreError) -> (database: Int64, container: Int64) {
        try await threads.run { () throws(BlobStoreError) in
            var (database, container) = (Int64(0), Int64(0))
            for other in try waiting() where other.text != name.text && other.isOfSameContainer(as: name) {
                let bytes = max(FileListing.size(path(other)), other.announcedBytes)
                container += bytes
                if other.isOfSameDatabase(as: name) { database += bytes }
            }
            return (database, container)
        }
    }

    /// Returns the names of the uploads that have not ended.
    private func waiting() throws(BlobStoreError) -> [PartialName] {
        try FileListing.names(in: folder).filter { !$0.hasSuffix(Self.noteSuffix) }.map { PartialName(text: $0) }
    }

    func take(_ name: PartialName, life: Duration) async throws(BlobStoreError) -> PartialUploadState {
        try await threads.run { () throws(BlobStoreError) in
            let path = path(name)
            guard let file = try OpenFile(path, O_RDWR | O_APPEND) else {
                guard !FileListing.isOlder(path + Self.noteSuffix, than: life),
                    let note = try OpenFile(path + Self.noteSuffix, O_RDONLY)
                else { return .absent }
                return .ended(String(buffer: try note.read(at: 0, count: 1024)))
            }
            guard try file.lock() else { return .inUse }
            let status = try file.status()
            guard status.isLinked, !FileListing.isOlder(path, than: life) else { return .absent }
            return .upload(PartialFile(file, path, resumedBytes: status.size, for: folders, threads: threads))
        }
    }

    func note(_ text: String, under name: PartialName) async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            guard try FileListing.names(in: folder).count < Self.maxNotes,
                let file = try OpenFile(path(name) + Self.noteSuffix, O_WRONLY | O_CREAT | O_EXCL)
            else { return }
            try file.write(ByteBuffer(string: text))
        }
    }

    func removeNote(_ name: PartialName) async throws(BlobStoreError) -> Bool {
        try await threads.run { () throws(BlobStoreError) in unlink(path(name) + Self.noteSuffix) == 0 }
    }

    func removeExpired(life: Duration) async throws(BlobStoreError) -> Int {
        try await threads.run { () throws(BlobStoreError) in
            var removed = 0
            for name in try FileListing.names(in: folder) {
                let path = "\(folder)/\(name)"
                // The age is checked again under the lock, because a request might have changed the file in the
                // meantime.
                guard FileListing.isOlder(path, than: life), let file = try OpenFile(path, O_WRONLY),
                    try file.lock(), FileListing.isOlder(path, than: life), unlink(path) == 0
                else { continue }
                file.empty()
                removed += 1
            }
            return removed
        }
    }

    private func path(_ name: PartialName) -> String { "\(folder)/\(name.text)" }
}
