import CommandLineSession
import Glibc

/// The file to which failed lines are written unchanged, so that they can be corrected and imported again.
final class RejectsFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Creates or truncates the file.
    ///
    /// - Throws: `LineReader.Fault`.
    init(path: String) throws(LineReader.Fault) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        self.path = path
        guard descriptor >= 0 else {
            throw LineReader.Fault(description: "cannot write '\(path)': \(String(cString: strerror(errno)))")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends a line.
    ///
    /// - Throws: `LineReader.Fault`.
    func write(_ line: ImportLine) throws(LineReader.Fault) {
        try Self.write(line.bytes + [UInt8(ascii: "\n")], to: descriptor, named: "'\(path)'")
    }

    /// Writes all of `bytes`.
    ///
    /// - Throws: `LineReader.Fault`.
    static func write(_ bytes: [UInt8], to descriptor: Int32, named name: String) throws(LineReader.Fault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                throw LineReader.Fault(description: "cannot write \(name): \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(written)
        }
    }
}
