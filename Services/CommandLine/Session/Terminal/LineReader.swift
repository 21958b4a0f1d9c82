import CLinux
import Dispatch
import Glibc

/// Reads a file or standard input line by line. A separate queue performs the blocking reads. A reader must not be used
/// concurrently.
package struct LineReader: ~Copyable {
    /// The error thrown if a file cannot be opened or read.
    package struct Fault: Error, CustomStringConvertible {
        package var description: String

        /// Creates an error with a description.
        package init(description: String) { self.description = description }
    }

    /// The maximum size of a read, in bytes.
    private static let chunkBytes = 1 << 18

    private let descriptor: Int32
    private let path: String
    private let queue = DispatchQueue(label: "zonda.import.read")
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// The file's size in bytes; nil for a pipe or terminal.
    package let totalBytes: Int?
    /// The number of bytes in the lines returned so far.
    package private(set) var readBytes = 0

    /// Opens `path`; `-` for standard input.
    ///
    /// - Throws: ``Fault``.
    package init(path: String) throws(Fault) {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Fault(description: "cannot open '\(path)': \(String(cString: strerror(errno)))")
        }
        var (size, changed) = (Int64(0), Int64(0))
        totalBytes = zonda_regular_file_version(descriptor, &size, &changed) == 0 ? Int(size) : nil
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Returns the next line without its newline; nil after the last line.
    ///
    /// - Throws: ``Fault``.
    package mutating func next() async throws(Fault) -> [UInt8]? {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                readBytes += end + 1 - position
                return Array(buffer[position..<end])
            }
            guard !isAtEnd else {
                defer { position = buffer.count }
                readBytes += buffer.count - position
                return position < buffer.count ? Array(buffer[position...]) : nil
            }
            buffer.removeSubrange(..<position)
            position = 0
            searched = buffer.count
            let chunk = try await readChunk()
            if chunk.isEmpty { isAtEnd = true }
            buffer += chunk
        }
    }

    private func readChunk() async throws(Fault) -> [UInt8] {
        let (descriptor, path) = (descriptor, path)
        let result: Result<[UInt8], Fault> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Self.readChunk(descriptor, path)) }
        }
        return try result.get()
    }

    private static func readChunk(_ descriptor: Int32, _ path: String) -> Result<[UInt8], Fault> {
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: chunkBytes) { bytes, initialized in
                count = read(descriptor, bytes.baseAddress, chunkBytes)
                initialized = max(0, count)
            }
            if count >= 0 { return .success(chunk) }
            guard errno == EINTR else {
                return .failure(Fault(description: "cannot read '\(path)': \(String(cString: strerror(errno)))"))
            }
        }
    }
}
