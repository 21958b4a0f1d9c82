internal import Glibc
internal import NIOCore

/// An upload to a file on this machine: the common part of ``IncomingFile`` and ``PartialFile``.
protocol FileUpload: BlobUpload {
    /// The file, locked by this request.
    var file: OpenFile { get }
    var path: String { get }
    /// The folders in which the committed file becomes a blob.
    var folders: BlobFolders { get }
    var threads: BlobThreads { get }
}

extension FileUpload {
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
            // A file that is no longer at its path has been committed, so its bytes belong to a blob.
            if unlink(path) == 0 { file.empty() }
            file.unlock()
        }
    }
}
