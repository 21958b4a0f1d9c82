import CommandLineSession
import Glibc

/// Lines that are sent again after all other lines: lines that refer to records that do not exist yet, and any later
/// lines for the same record as a deferred line. They are stored in an unnamed file, which the system deletes when the
/// process exits. Only one number per record is kept in memory.
struct DeferredLines: ~Copyable {
    private static let bufferBytes = 1 << 18

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The hashes of the lines' records. Records with the same hash are deferred together, which is harmless.
    private var records: Set<Int> = []

    /// The number of lines.
    private(set) var count = 0

    /// Creates an empty file.
    ///
    /// - Throws: `LineReader.Fault` if the file cannot be created.
    init() throws(LineReader.Fault) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/zonda-import-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw LineReader.Fault(
                description: "cannot create a file in '\(folder)': \(String(cString: strerror(errno)))")
        }
        unlink(path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns whether a line for the same record has been deferred. If so, this line must be deferred too.
    func contains(_ line: ImportLine) -> Bool { line.key.map { records.contains($0.hashValue) } ?? false }

    /// Adds a line.
    ///
    /// - Throws: `LineReader.Fault` if the disk is full.
    mutating func append(_ line: ImportLine) throws(LineReader.Fault) {
        count += 1
        if let key = line.key { records.insert(key.hashValue) }
        buffer += "\(line.number) ".utf8
        buffer += line.bytes
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// Removes and returns the lines, each preceded by its number, in the order in which they were added.
    ///
    /// - Throws: `LineReader.Fault`.
    mutating func takeAll() throws(LineReader.Fault) -> LineReader {
        try flush()
        let reader = try LineReader(path: "/proc/self/fd/\(descriptor)")
        self = try DeferredLines()
        return reader
    }

    /// Removes and returns the number at the beginning of a line.
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
