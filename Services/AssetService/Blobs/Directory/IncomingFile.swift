internal import Foundation
internal import Glibc
internal import NIOCore

/// A file in the `incoming` folder that is written by a single request.
///
/// The process that writes the file keeps it locked. If another process can lock a file, the file must therefore have
/// been abandoned.
struct IncomingFile: FileUpload {
    /// The maximum number of attempts to create a file. A sweep might remove a newly created file, but is unlikely to
    /// do so more than a few times in a row. The limit prevents an endless loop if every attempt fails.
    private static let maxAttempts = 10

    let file: OpenFile
    let path: String
    let folders: BlobFolders
    let threads: BlobThreads

    /// Creates a file in `folder`. When it is committed, the file becomes a blob in `folders`. Blocks.
    init(in folder: String, for folders: BlobFolders, threads: BlobThreads) throws(BlobStoreError) {
        self.folders = folders
        self.threads = threads
        for _ in 0..<Self.maxAttempts {
            let path = "\(folder)/\(UUID().uuidString.lowercased())"
            // A sweep might remove the file as abandoned after it is created and before it is locked.
            guard let file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL), try file.lock(),
                try file.status().isLinked
            else { continue }
            self.file = file
            self.path = path
            return
        }
        throw BlobStoreError("cannot create a file in '\(folder)'")
    }

    /// Removes a file from the `incoming` folder, unless the process that writes it is still running. Blocks.
    static func removeIfAbandoned(_ path: String) throws(BlobStoreError) -> Bool {
        guard let file = try OpenFile(path, O_WRONLY), try file.lock() else { return false }
        return unlink(path) == 0
    }
}
