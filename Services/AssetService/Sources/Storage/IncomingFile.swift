internal import Foundation
internal import Glibc
internal import NIOCore

/// A file that is being received, in the folder `incoming`.
///
/// It is locked as long as its process lives: what can be locked there belongs to nobody.
struct IncomingFile: BlobUpload {
    private let file: OpenFile
    private let path: String
    private let blobs: String
    private let threads: BlobThreads

    /// Makes one. Blocks.
    init(in folder: String, blobs: String, threads: BlobThreads) throws(BlobStoreError) {
        self.blobs = blobs
        self.threads = threads
        while true {
            let path = "\(folder)/\(UUID().uuidString.lowercased())"
            // Between its making and its lock a sweep may take it for an abandoned one.
            guard let file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL), file.lock(), try file.status().isLinked
            else { continue }
            self.file = file
            self.path = path
            return
        }
    }

    func append(_ bytes: ByteBuffer) async throws(BlobStoreError) {
        try await threads.run { [file] () throws(BlobStoreError) in try file.write(bytes) }
    }

    func commit(as key: BlobKey) async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            try file.synchronizeData()
            let target = "\(blobs)/\(key)"
            let folder = String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)])
            if rename(path, target) != 0 {
                guard errno == ENOENT else { throw BlobStoreError(call: "rename", target) }
                try Self.makeFolders(to: folder, in: blobs)
                guard rename(path, target) == 0 else { throw BlobStoreError(call: "rename", target) }
            }
            try OpenFile.synchronizeFolder(folder)
        }
    }

    func discard() async {
        try? await threads.run { () throws(BlobStoreError) in
            // Not there any more: committed, and its bytes are somebody's.
            if unlink(path) == 0 { file.empty() }
        }
    }

    /// Removes a file of `folder` unless its process lives. Blocks.
    static func removeIfAbandoned(_ path: String) throws(BlobStoreError) -> Bool {
        guard let file = try OpenFile(path, O_WRONLY), file.lock() else { return false }
        return unlink(path) == 0
    }

    /// The container's folder and that of the first two digits. A name is durable when its folder is written.
    private static func makeFolders(to folder: String, in root: String) throws(BlobStoreError) {
        var path = root
        for part in folder.dropFirst(root.count).split(separator: "/") {
            let parent = path
            path += "/\(part)"
            if mkdir(path, 0o750) == 0 {
                try OpenFile.synchronizeFolder(parent)
            } else if errno != EEXIST {
                throw BlobStoreError(call: "mkdir", path)
            }
        }
    }
}
