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

    /// What came of an attempt to begin one.
    enum Begun {
        case upload(PartialFile)
        /// As many as may wait do: this is the bound.
        case tooMany(limit: Int)
    }

    private static let noteSuffix = ".ended"
    /// Past this many notes none is left: a client that missed its answer sends everything again.
    private static let maxNotes = 10_000

    private let folder: String
    private let folders: BlobFolders
    private let room: DiskRoom
    private let threads: BlobThreads

    /// Those in `folder`, which become blobs in `folders`.
    init(folder: String, folders: BlobFolders, room: DiskRoom, threads: BlobThreads) {
        self.folder = folder
        self.folders = folders
        self.room = room
        self.threads = threads
    }

    /// Makes a file under a name that is not in use. One look at the folder.
    ///
    /// - Parameters:
    ///   - limit: how many may wait.
    ///   - ownLimit: how many of one database.
    func begin(_ name: PartialName, limit: Int, ownLimit: Int) async throws(BlobStoreError) -> Begun {
        try await threads.run { () throws(BlobStoreError) in
            try room.admit()
            let others = try waiting()
            guard others.count < limit else { return .tooMany(limit: limit) }
            let own = others.filter { $0.isOfSameDatabase(as: name) }
            guard own.count < ownLimit else { return .tooMany(limit: ownLimit) }
            let path = path(name)
            guard let file = try OpenFile(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL), try file.lock(),
                try file.status().isLinked
            else { throw BlobStoreError("'\(path)' was taken away") }
            return .upload(PartialFile(file, path, offset: 0, for: folders, threads: threads))
        }
    }

    /// The bytes that wait or are announced for a database and for its container, besides those of `name`. One look at the
    /// folder, and one at each of the container's uploads.
    func waitingBytes(besides name: PartialName) async throws(BlobStoreError) -> (database: Int64, container: Int64) {
        try await threads.run { () throws(BlobStoreError) in
            var (database, container) = (Int64(0), Int64(0))
            for other in try waiting() where other.text != name.text && other.isOfSameContainer(as: name) {
                let bytes = max(DirectoryBlobStore.size(path(other)), other.announcedBytes)
                container += bytes
                if other.isOfSameDatabase(as: name) { database += bytes }
            }
            return (database, container)
        }
    }

    /// The names of the uploads that have not ended.
    private func waiting() throws(BlobStoreError) -> [PartialName] {
        try DirectoryBlobStore.names(in: folder).filter { !$0.hasSuffix(Self.noteSuffix) }.map { PartialName(text: $0) }
    }

    /// Takes what is under a name, unless nothing moved there for as long as `life`.
    func take(_ name: PartialName, life: Duration) async throws(BlobStoreError) -> Found {
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
    func note(_ text: String, under name: PartialName) async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            guard try DirectoryBlobStore.names(in: folder).count < Self.maxNotes,
                let file = try OpenFile(path(name) + Self.noteSuffix, O_WRONLY | O_CREAT | O_EXCL)
            else { return }
            try file.write(ByteBuffer(string: text))
        }
    }

    /// Removes the note under a name; false when there is none.
    func removeNote(_ name: PartialName) async throws(BlobStoreError) -> Bool {
        try await threads.run { () throws(BlobStoreError) in unlink(path(name) + Self.noteSuffix) == 0 }
    }

    /// Removes what nobody has and where nothing moved for longer than `life`.
    ///
    /// - Returns: how many.
    package func removeExpired(life: Duration) async throws(BlobStoreError) -> Int {
        try await threads.run { () throws(BlobStoreError) in
            var removed = 0
            for name in try DirectoryBlobStore.names(in: folder) {
                let path = "\(folder)/\(name)"
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

    private func path(_ name: PartialName) -> String { "\(folder)/\(name.text)" }
}
