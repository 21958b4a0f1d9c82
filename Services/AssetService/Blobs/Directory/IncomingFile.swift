internal import Foundation
internal import Glibc
internal import NIOCore

/// A file that is being received, in the folder `incoming`.
///
/// It is locked as long as its process lives: what can be locked there belongs to nobody.
struct IncomingFile: BlobUpload {
    /// More than a sweep can be in the way of; a folder that has vanished is no reason to try for ever.
    private static let attempts = 10

    private let file: OpenFile
    private let path: String
    private let folders: BlobFolders
    private let threads: BlobThreads

    /// Makes one, for a place in `folders`. Blocks.
    init(in folder: String, for folders: BlobFolders, threads: BlobThreads) throws(BlobStoreError) {
        self.folders = folders
        self.threads = threads
        for _ in 0..<Self.attempts {
            let path = "\(folder)/\(UUID().uuidString.lowercased())"
            // Between its making and its lock a sweep may take it for an abandoned one.
            guard let file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL), try file.lock(),
                try file.status().isLinked
            else { continue }
            self.file = file
            self.path = path
            return
        }
        throw BlobStoreError("no file can be made in '\(folder)'")
    }

    func append(_ bytes: ByteBuffer) async throws(BlobStoreError) {
        try await threads.run { [file] () throws(BlobStoreError) in try file.write(bytes) }
    }

    func commit(as key: BlobKey) async throws(BlobStoreError) {
        try await threads.run { () throws(BlobStoreError) in
            try file.synchronizeData()
            try folders.prepare(for: key)
            guard rename(path, folders.path(of: key)) == 0 else {
                throw BlobStoreError(call: "rename", folders.path(of: key))
            }
            try OpenFile.synchronizeFolder(folders.folder(of: key))
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
        guard let file = try OpenFile(path, O_WRONLY), try file.lock() else { return false }
        return unlink(path) == 0
    }
}
