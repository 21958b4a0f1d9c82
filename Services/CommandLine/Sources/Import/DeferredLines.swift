import CommandLineSession
import Glibc

/// Lines that are sent again when the others have been: those that refer to records that are not there yet, and the later
/// lines of the same records. They wait in a file without a name, which goes with the process; in memory is one number
/// for each of their records.
struct DeferredLines: ~Copyable {
    private static let bufferBytes = 1 << 18

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Two records of one hash are deferred together, which is harmless.
    private var records: Set<Int> = []

    /// How many there are.
    private(set) var count = 0

    /// None.
    ///
    /// - Throws: `LineReader.Fault` when no file can be made.
    init() throws(LineReader.Fault) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/zonda-import-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw LineReader.Fault(
                description: "cannot make a file in '\(folder)': \(String(cString: strerror(errno)))")
        }
        unlink(path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether a line of the same record is here, so that this one has to come after it.
    func contains(_ line: ImportLine) -> Bool { line.key.map { records.contains($0.hashValue) } ?? false }

    /// Adds a line.
    ///
    /// - Throws: `LineReader.Fault` when the disk is full.
    mutating func append(_ line: ImportLine) throws(LineReader.Fault) {
        count += 1
        if let key = line.key { records.insert(key.hashValue) }
        buffer += "\(line.number) ".utf8
        buffer += line.bytes
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// The lines, each behind its number, in the order in which they were added. None are left.
    ///
    /// - Throws: `LineReader.Fault`.
    mutating func takeAll() throws(LineReader.Fault) -> LineReader {
        try flush()
        let reader = try LineReader(path: "/proc/self/fd/\(descriptor)")
        self = try DeferredLines()
        return reader
    }

    /// Takes the number from the beginning of a line.
    static func takeNumber(from bytes: inout [UInt8]) -> Int {
        let digits = bytes.prefix { $0 != UInt8(ascii: " ") }
        defer { bytes.removeFirst(digits.count + 1) }
        return Int(String(decoding: digits, as: UTF8.self)) ?? 0
    }

    private mutating func flush() throws(LineReader.Fault) {
        try RejectsFile.write(buffer, to: descriptor, named: "a temporary file")
        buffer.removeAll(keepingCapacity: true)
    }
}
