internal import Foundation
internal import Glibc

/// An open file or socket, which is closed with its last reference. Every call blocks.
final class Descriptor: Sendable {
    private let number: Int32

    /// Creates a descriptor from the result of the system call `call`. Must be called immediately after it, while
    /// `errno` is valid.
    ///
    /// - Throws: ``LimitFailure`` if the call failed.
    init(_ number: Int32, of call: String) throws(LimitFailure) {
        guard number >= 0 else { throw LimitFailure(call: call) }
        self.number = number
    }

    deinit { close(number) }

    /// Opens a file with the flags of `open(2)`.
    static func opening(_ path: String, _ flags: Int32) throws(LimitFailure) -> Descriptor {
        try Descriptor(open(path, flags | O_CLOEXEC, 0o600), of: "open '\(path)'")
    }

    /// Passes the bytes to `take`, at most `chunkBytes` at a time, and returns their number.
    func readToEnd(
        by chunkBytes: Int, _ take: (UnsafeRawBufferPointer) throws(LimitFailure) -> Void
    ) throws(LimitFailure) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { buffer.deallocate() }
        var total = 0
        while true {
            let count = read(number, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw LimitFailure(call: "read") }
            guard count > 0 else { return total }
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            total += count
        }
    }

    /// Writes all bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(LimitFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(number, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw LimitFailure(call: "write") }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns the size of a file, and sets its position to the beginning.
    func size() throws(LimitFailure) -> Int {
        let size = lseek(number, 0, SEEK_END)
        guard size >= 0, lseek(number, 0, SEEK_SET) == 0 else { throw LimitFailure(call: "lseek") }
        return size
    }

    /// Shuts down the writing side of a socket.
    func end() { shutdown(number, Int32(SHUT_WR)) }

    /// Waits until the bytes are on the disk.
    func synchronizeData() throws(LimitFailure) {
        guard fdatasync(number) == 0 else { throw LimitFailure(call: "fdatasync") }
    }

    /// Passes the number to `body`.
    func withNumber<Result>(_ body: (Int32) throws(LimitFailure) -> Result) throws(LimitFailure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(number)
    }
}

extension LimitFailure {
    /// Creates the failure of a system call. Must be called immediately after it, while `errno` is valid.
    init(call: String) { self.init("\(call): \(String(cString: strerror(errno)))") }
}
