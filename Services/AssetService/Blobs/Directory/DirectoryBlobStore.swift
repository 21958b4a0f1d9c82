internal import CLinux
package import Foundation
internal import Glibc
internal import NIOCore

/// A store in a folder. Each blob is the file `blobs/<key>`. While it is being received, it is the file
/// `incoming/<uuid>`, or `partial/<name>` if several requests can send its bytes.
///
/// If several instances use the store, it must be on a shared volume on which locks (`flock`) work across machines.
package struct DirectoryBlobStore: BlobStore {
    /// The maximum number of files that one call removes from the trash.
    private let maxEmptied = 10_000
    private let root: String
    private let incoming: String
    private let partial: String
    private var markFile: String { "\(root)/store-id" }
    private let folders: BlobFolders
    private let trash: BlobFolders
    private let threads = BlobThreads()
    private let space: DiskSpace

    /// Creates a store in the folder `root`, which ``prepare()`` creates.
    ///
    /// - Parameter minFreeBytes: the minimum free space, in bytes, that an upload requires to begin.
    package init(root: String, minFreeBytes: Int64 = 0) {
        self.root = root
        space = DiskSpace(path: "\(root)/incoming", minFreeBytes: minFreeBytes)
        incoming = "\(root)/incoming"
        partial = "\(root)/partial"
        folders = BlobFolders(root: "\(root)/blobs")
        trash = BlobFolders(root: "\(root)/trash")
    }

    /// Creates the folders, and removes the files of uploads whose process has ended.
    ///
    /// - Throws: ``BlobStoreError`` if a folder cannot be created or written to.
    package func prepare() async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            for folder in [incoming, partial, folders.root, trash.root] {
                do {
                    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                } catch {
                    throw BlobStoreError("cannot create the folder '\(folder)': \(error.localizedDescription)")
                }
            }
            try OpenFile.synchronizeFolder(root)
        }
        _ = try await removeAbandonedUploads()
        do throws(BlobStoreError) {
            try await check()
        } catch {
            // Downloads work even if the disk is full, and the readiness check reports a full disk.
            guard error.isFull else { throw error }
        }
    }

    package func mark() async throws(BlobStoreError) -> StoreMark? {
        try await threads.run { () throws(BlobStoreError) in
            guard let file = try OpenFile(markFile, O_RDONLY) else { return nil }
            guard let mark = StoreMark(String(buffer: try file.read(at: 0, count: 128))) else {
                throw BlobStoreError("'\(markFile)' does not contain an id")
            }
            return mark
        }
    }

    package func identify(as id: UUID) async throws(BlobStoreError) {
        try await write(StoreMark(id: id)) { new, markFile in
            // The link makes the complete file visible, and fails if a mark already exists.
            let isFirst = link(new, markFile) == 0
            let code = errno
            unlink(new)
            errno = code
            return isFirst || errno == EEXIST
        }
        guard try await identity() == id else { throw BlobStoreError("'\(markFile)' contains the id of another store") }
    }

    package func setMark(_ mark: StoreMark) async throws(BlobStoreError) {
        try await write(mark) { new, markFile in rename(new, markFile) == 0 }
    }

    /// Writes a temporary file, which `publish` then moves to its final name.
    private func write(
        _ mark: StoreMark, publish: @escaping @Sendable (_ new: String, _ markFile: String) -> Bool
    ) async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            let new = "\(markFile).\(UUID().uuidString.lowercased())"
            guard let file = try OpenFile(new, O_WRONLY | O_CREAT | O_EXCL) else { return }
            try file.write(ByteBuffer(string: mark.text))
            try file.synchronizeData()
            guard publish(new, markFile) else { throw BlobStoreError(call: "link or rename", markFile) }
            try OpenFile.synchronizeFolder(root)
        }
    }

    package func makeUpload() async throws(BlobStoreError) -> any BlobUpload {
        try await threads.run { () throws(BlobStoreError) in
            try space.admit()
            return try IncomingFile(in: incoming, for: folders, threads: threads)
        }
    }

    package var partials: (any PartialUploads)? {
        PartialFolder(folder: partial, folders: folders, space: space, threads: threads)
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
            // After a power failure, the file might reappear; the reconciler then removes it.
            guard unlink(path) == 0 || errno == ENOENT else { throw BlobStoreError(call: "unlink", path) }
        }
    }

    package func removeAbandonedUploads() async throws(BlobStoreError) -> Int {
        try await threads.run { () throws(BlobStoreError) in
            var removed = 0
            for name in try FileListing.names(in: incoming) {
                if try IncomingFile.removeIfAbandoned("\(incoming)/\(name)") { removed += 1 }
            }
            return removed
        }
    }

    /// Reads one folder as a page: the files of one container whose checksums begin with the same two digits.
    package func page(after place: String?, olderThan age: Duration) async throws(BlobStoreError) -> BlobPage {
        try await threads.run { () throws(BlobStoreError) in try Self.page(of: folders, after: place, olderThan: age) }
    }

    private static func page(
        of folders: BlobFolders, after place: String?, olderThan age: Duration
    ) throws(BlobStoreError) -> BlobPage {
        let parts = place?.split(separator: "/").map(String.init) ?? []
        let (lastContainer, lastDigits) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
        for container in try FileListing.names(in: folders.root).sorted() where container >= lastContainer {
            for digits in try FileListing.names(in: "\(folders.root)/\(container)").sorted()
            where container > lastContainer || digits > lastDigits {
                let keys = try FileListing.names(in: "\(folders.root)/\(container)/\(digits)").compactMap {
                    BlobKey("\(container)/\(digits)/\($0)")
                }
                let old = keys.filter { FileListing.isOlder(folders.path(of: $0), than: age) }
                return BlobPage(keys: old, next: "\(container)/\(digits)")
            }
        }
        return BlobPage(keys: [], next: nil)
    }

    package func discard(_ key: BlobKey) async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            // The file's time in the trash begins now.
            utimes(folders.path(of: key), nil)
            _ = try Self.move(key, from: folders, to: trash)
        }
    }

    package func recover(_ key: BlobKey) async throws(BlobStoreError) -> Bool {
        try await threads.run { () throws(BlobStoreError) in try Self.move(key, from: trash, to: folders) }
    }

    /// Moves a file. Returns false if it does not exist.
    private static func move(
        _ key: BlobKey, from source: BlobFolders, to target: BlobFolders
    ) throws(BlobStoreError) -> Bool {
        guard access(source.path(of: key), F_OK) == 0 else { return false }
        try target.prepare(for: key)
        guard rename(source.path(of: key), target.path(of: key)) == 0 else {
            guard errno != ENOENT else { return false }
            throw BlobStoreError(call: "rename", target.path(of: key))
        }
        try OpenFile.synchronizeFolder(target.folder(of: key))
        return true
    }

    package func emptyTrash(olderThan age: Duration) async throws(BlobStoreError) -> Int {
        try await threads.run { () throws(BlobStoreError) in
            var (removed, place) = (0, String?.none)
            repeat {
                let page = try Self.page(of: trash, after: place, olderThan: age)
                for key in page.keys where unlink(trash.path(of: key)) == 0 { removed += 1 }
                place = page.next
            } while place != nil && removed < maxEmptied
            return removed
        }
    }

    package func freeBytes() async -> Int64? {
        try? await threads.run { [space] () throws(BlobStoreError) in space.freeBytes }
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
}

private struct BlobFileReader: BlobReader {
    let file: OpenFile
    let size: Int64
    let threads: BlobThreads

    func read(at offset: Int64, count: Int) async throws(BlobStoreError) -> ByteBuffer {
        try await threads.run { [file] () throws(BlobStoreError) in try file.read(at: offset, count: count) }
    }
}
