internal import CloudKitWire
internal import Glibc

extension ClientFile {
    /// Changes the file at `path` while no other process does, and replaces it atomically. Only its owner can read it.
    ///
    /// Waits while another process changes the file, so it must not be called on the threads of tasks.
    ///
    /// - Parameter change: changes the content, and returns whether the file is to be written.
    /// - Throws: `POSIXError`, or ``CKError/Code/notAuthenticated`` if the file is not valid.
    static func update(_ path: String, _ change: (inout ClientFile) -> Bool) throws {
        let lock = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw POSIXError.last }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw POSIXError.last }
        }
        var file = try FileVersion(of: path) == nil ? ClientFile() : ClientFile(readingFrom: path)
        guard change(&file) else { return }
        try file.replace(path)
    }

    private func replace(_ path: String) throws {
        let draft = "\(path).\(UUID().uuidString)"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(json.encoded() + [UInt8(ascii: "\n")]))
            try handle.synchronize()
            try handle.close()
            guard rename(draft, path) == 0 else { throw POSIXError.last }
        } catch {
            unlink(draft)
            throw error
        }
    }
}

extension POSIXError {
    /// The error of the last system call.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
