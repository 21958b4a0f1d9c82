internal import CLinux

/// Determines whether a file has been changed or replaced.
struct FileVersion: Hashable, Sendable {
    private var size: Int64 = 0
    private var changed: Int64 = 0
    private var inode: UInt64 = 0

    /// Reads the version of the file at `path`; nil if there is none.
    init?(of path: String) {
        guard zonda_path_version(path, &size, &changed, &inode) == 0 else { return nil }
    }
}
