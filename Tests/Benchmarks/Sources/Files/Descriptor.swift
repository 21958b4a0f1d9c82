internal import Foundation
internal import Glibc

/// An open file or socket, closed with its last reference. Every call blocks.
final class Descriptor: Sendable {
    private let number: Int32

    /// What the system's call of that name has returned, to be made at once, while `errno` is its.
    ///
    /// - Throws: ``LimitFailure`` when that is none.
    init(_ number: Int32, of call: String) throws(LimitFailure) {
        guard number >= 0 else { throw LimitFailure(call: call) }
        self.number = number
    }

    deinit { close(number) }

    /// Opens a file with the flags of `open(2)`.
    static func opening(_ path: String, _ flags: Int32) throws(LimitFailure) -> Descriptor {
        try Descriptor(open(path, flags | O_CLOEXEC, 0o600), of: "open '\(path)'")
    }

    /// Gives the bytes to `take`, at most `chunkBytes` at once, and returns how many there were.
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

    /// Writes all of it.
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

    /// How many bytes a file has; its position is its beginning then.
    func size() throws(LimitFailure) -> Int {
        let size = lseek(number, 0, SEEK_END)
        guard size >= 0, lseek(number, 0, SEEK_SET) == 0 else { throw LimitFailure(call: "lseek") }
        return size
    }

    /// Tells a socket's other side that nothing more comes.
    func end() { shutdown(number, Int32(SHUT_WR)) }

    /// Waits until the bytes are on the disk.
    func synchronizeData() throws(LimitFailure) {
        guard fdatasync(number) == 0 else { throw LimitFailure(call: "fdatasync") }
    }

    /// Lends the number to a call that wants it.
    func withNumber<Result>(_ body: (Int32) throws(LimitFailure) -> Result) throws(LimitFailure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(number)
    }
}

extension LimitFailure {
    /// The failure of a call of the system; to be made at once, while `errno` is its.
    init(call: String) { self.init("\(call): \(String(cString: strerror(errno)))") }
}
