internal import CLinux
internal import Glibc

/// The names, sizes and ages of files. Every call blocks and must be made on ``BlobThreads``.
enum FileListing {
    /// Returns the names in a folder; an empty array if the folder does not exist.
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

    /// Returns the size of a file in bytes; 0 if it does not exist.
    static func size(_ path: String) -> Int64 {
        var (size, changed) = (Int64(0), Int64(0))
        return zonda_path_status(path, &size, &changed) == 0 ? size : 0
    }

    /// Whether a file exists and was last written more than `age` ago.
    static func isOlder(_ path: String, than age: Duration) -> Bool {
        var (size, changed) = (Int64(0), Int64(0))
        guard zonda_path_status(path, &size, &changed) == 0 else { return false }
        return Int64(time(nil)) - changed > age.components.seconds
    }
}
