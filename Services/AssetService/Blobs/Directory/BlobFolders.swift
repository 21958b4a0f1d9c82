internal import Glibc
internal import Synchronization

/// The folders of the blobs: one for each container, in it one for each first two digits.
///
/// A file survives a power failure when its folder's names are on the disk, and those of all folders above: each process
/// makes sure of that once for each folder, also for one that another is just making.
final class BlobFolders: Sendable {
    /// The folder above all.
    let root: String
    private let durable = Mutex<Set<String>>([])

    init(root: String) { self.root = root }

    /// Where a blob's file is.
    func path(of key: BlobKey) -> String { "\(root)/\(key)" }

    /// The folder it is in.
    func folder(of key: BlobKey) -> String { "\(root)/\(key.folder)" }

    /// Makes a blob's folder, if it is not there, and its names durable. Blocks.
    func prepare(for key: BlobKey) throws(BlobStoreError) {
        let folder = folder(of: key)
        // One that was there may be gone: somebody may have emptied the disk.
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
