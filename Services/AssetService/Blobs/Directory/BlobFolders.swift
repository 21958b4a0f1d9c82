internal import Glibc
internal import Synchronization

/// The folders of blobs: one for each container, with a subfolder for each two-digit prefix of the checksums.
///
/// A file survives a power failure only if the directory entries for its folder and for every folder above it are on
/// disk. Each process ensures this once for each folder, even if the folder already exists, because another process
/// might just have created it.
final class BlobFolders: Sendable {
    /// The folder that contains all of these folders.
    let root: String
    private let durable = Mutex<Set<String>>([])

    init(root: String) { self.root = root }

    /// The path of a blob's file.
    func path(of key: BlobKey) -> String { "\(root)/\(key)" }

    /// The folder of a blob's file.
    func folder(of key: BlobKey) -> String { "\(root)/\(key.folder)" }

    /// Creates a blob's folder if necessary, and makes it durable. Blocks.
    func prepare(for key: BlobKey) throws(BlobStoreError) {
        let folder = folder(of: key)
        // A folder that was made durable might since have been removed, for example because the volume was emptied.
        guard access(folder, F_OK) != 0 || !durable.withLock({ $0.contains(folder) }) else { return }
        var path = root
        for part in key.folder.split(separator: "/") {
            let parent = path
            path += "/\(part)"
            guard mkdir(path, 0o750) == 0 || errno == EEXIST else { throw BlobStoreError(call: "mkdir", path) }
            try OpenFile.synchronizeFolder(parent)
        }
        durable.withLock { _ = $0.insert(folder) }
    }
}
