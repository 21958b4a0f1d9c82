internal import CLinux
package import Foundation
internal import Glibc
internal import NIOCore

/// Blobs as files of a folder: `blobs/<key>`, and `incoming/<uuid>` while they are received, or `partial/<name>` when that
/// takes several requests.
///
/// Several instances need a volume that all of them see, with locks that work across machines (`flock`).
package struct DirectoryBlobStore: BlobStore {
    private static let pageSize = 500

    private let root: String
    private let incoming: String
    private let partial: String
    private var identityFile: String { "\(root)/store-id" }
    private let folders: BlobFolders
    private let threads = BlobThreads()
    private let room: DiskRoom

    /// Blobs under `root`, which ``prepare()`` makes.
    ///
    /// - Parameter minFreeBytes: no upload begins while the disk has less room.
    package init(root: String, minFreeBytes: Int64 = 0) {
        self.root = root
        room = DiskRoom(path: "\(root)/incoming", minFreeBytes: minFreeBytes)
        incoming = "\(root)/incoming"
        partial = "\(root)/partial"
        folders = BlobFolders(root: "\(root)/blobs")
    }

    /// Makes the folders, and removes what a killed process left in them.
    ///
    /// - Throws: ``BlobStoreError`` when they cannot be made or written.
    package func prepare() async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            for folder in [incoming, partial, folders.root] {
                do {
                    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                } catch {
                    throw BlobStoreError("the folder '\(folder)' cannot be made: \(error.localizedDescription)")
                }
            }
            try OpenFile.synchronizeFolder(root)
        }
        _ = try await removeAbandonedUploads()
        do throws(BlobStoreError) {
            try await check()
        } catch {
            // From a full disk downloads are served all the same, and ``check()`` says it again.
            guard error.isFull else { throw error }
        }
    }

    package func identity() async throws(BlobStoreError) -> UUID? {
        try await threads.run { () throws(BlobStoreError) in
            guard let file = try OpenFile(identityFile, O_RDONLY) else { return nil }
            let text = String(buffer: try file.read(at: 0, count: 64)).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let id = UUID(uuidString: text) else { throw BlobStoreError("'\(identityFile)' holds no id") }
            return id
        }
    }

    package func identify(as id: UUID) async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            let new = "\(identityFile).\(UUID().uuidString.lowercased())"
            guard let file = try OpenFile(new, O_WRONLY | O_CREAT | O_EXCL) else { return }
            try file.write(ByteBuffer(string: "\(id.uuidString.lowercased())\n"))
            try file.synchronizeData()
            // It appears complete, and only when there is none.
            let isFirst = link(new, identityFile) == 0
            let code = errno
            unlink(new)
            errno = code
            guard isFirst || errno == EEXIST else { throw BlobStoreError(call: "link", identityFile) }
            try OpenFile.synchronizeFolder(root)
        }
        guard try await identity() == id else { throw BlobStoreError("'\(identityFile)' holds another store's id") }
    }

    package func makeUpload() async throws(BlobStoreError) -> any BlobUpload {
        try await threads.run { () throws(BlobStoreError) in
            try room.admit()
            return try IncomingFile(in: incoming, for: folders, threads: threads)
        }
    }

    package var partials: PartialUploads? {
        PartialUploads(folder: partial, folders: folders, room: room, threads: threads)
    }

    package func size(of key: BlobKey) async throws(BlobStoreError) -> Int64? {
        let path = folders.path(of: key)
        return try await threads.run { () throws(BlobStoreError) in
            var (size, changed) = (Int64(0), Int64(0))
            if zonda_path_status(path, &size, &changed) == 0 { return size }
            guard errno == ENOENT else { throw BlobStoreError(call: "stat", path) }
            return nil
        }
    }

    package func open(_ key: BlobKey) async throws(BlobStoreError) -> (any BlobReader)? {
        let path = folders.path(of: key)
        return try await threads.run { () throws(BlobStoreError) in
            guard let file = try OpenFile(path, O_RDONLY) else { return nil }
            return BlobFileReader(file: file, size: try file.status().size, threads: threads)
        }
    }

    package func remove(_ key: BlobKey) async throws(BlobStoreError) {
        let path = folders.path(of: key)
        try await threads.run { () throws(BlobStoreError) in
            // After a power failure the name may be back: the reconciler removes it again.
            guard unlink(path) == 0 || errno == ENOENT else { throw BlobStoreError(call: "unlink", path) }
        }
    }

    package func removeAbandonedUploads() async throws(BlobStoreError) -> Int {
        try await threads.run { () throws(BlobStoreError) in
            var removed = 0
            for name in try Self.names(in: incoming) {
                if try IncomingFile.removeIfAbandoned("\(incoming)/\(name)") { removed += 1 }
            }
            return removed
        }
    }

    package func forEachPage(olderThan age: Duration, _ body: ([BlobKey]) async throws -> Void) async throws {
        for container in try await threads.run({ () throws(BlobStoreError) in try Self.names(in: folders.root) }) {
            let folder = "\(folders.root)/\(container)"
            for digits in try await threads.run({ () throws(BlobStoreError) in try Self.names(in: folder) }) {
                let keys = try await threads.run { () throws(BlobStoreError) in
                    try Self.names(in: "\(folder)/\(digits)").compactMap { BlobKey("\(container)/\(digits)/\($0)") }
                        .filter { Self.isOlder(folders.path(of: $0), than: age) }
                }
                for start in stride(from: 0, to: keys.count, by: Self.pageSize) {
                    try await body(Array(keys[start..<min(start + Self.pageSize, keys.count)]))
                }
            }
        }
    }

    package func freeBytes() async -> Int64? {
        try? await threads.run { [room] () throws(BlobStoreError) in room.freeBytes }
    }

    package func check() async throws(BlobStoreError) {
        let upload = try await makeUpload()
        let result: Result<Void, BlobStoreError>
        do {
            try await upload.append(ByteBuffer(bytes: [0]))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await upload.discard()
        try result.get()
    }

    /// The names in a folder; none when it is not there.
    static func names(in folder: String) throws(BlobStoreError) -> [String] {
        guard let directory = opendir(folder) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw BlobStoreError(call: "opendir", folder) }
            return []
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// A file's size; 0 when it is not there.
    static func size(_ path: String) -> Int64 {
        var (size, changed) = (Int64(0), Int64(0))
        return zonda_path_status(path, &size, &changed) == 0 ? size : 0
    }

    /// Whether a file is there and was written longer than `age` ago.
    static func isOlder(_ path: String, than age: Duration) -> Bool {
        var (size, changed) = (Int64(0), Int64(0))
        guard zonda_path_status(path, &size, &changed) == 0 else { return false }
        return Int64(time(nil)) - changed > age.components.seconds
    }
}

private struct BlobFileReader: BlobReader {
    let file: OpenFile
    let size: Int64
    let threads: BlobThreads

    func read(at offset: Int64, count: Int) async throws(BlobStoreError) -> ByteBuffer {
        try await threads.run { [file] () throws(BlobStoreError) in try file.read(at: offset, count: count) }
    }
}
