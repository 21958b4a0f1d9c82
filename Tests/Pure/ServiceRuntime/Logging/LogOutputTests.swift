import Foundation
import Testing

@testable import ServiceRuntime

/// Lines that are written to a pipe, whose other end reads them or not.
@Suite struct LogOutputTests {
    /// Some lines are longer than a pipe accepts in one write, others are shorter.
    @Test(.timeLimit(.minutes(1)), arguments: [10, 100, 3000, 10_000])
    func anUnreadPipeStopsNoWriterAndItsLossIsReported(size: Int) throws {
        let pipe = Pipe()
        let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let line = Array(#"{"n":"\#(String(repeating: "x", count: size))"}"#.utf8) + [UInt8(ascii: "\n")]
        let count = 200_000 / size
        for _ in 0..<count { output.write(line) }
        let taken = content(of: pipe)
        output.write(line)
        try pipe.fileHandleForWriting.close()
        let rest = try #require(try pipe.fileHandleForReading.readToEnd())

        let lines = (taken + rest).split(separator: UInt8(ascii: "\n"))
        let read = lines.compactMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        // At most one line was cut when the pipe was full.
        #expect(lines.count - read.count <= 1)
        let whole = read.count { $0["n"] != nil }
        let notices = read.compactMap { ($0["metadata"] as? [String: String])?["lines"].flatMap { Int($0) } }
        #expect(notices.count == 1)
        #expect(whole + notices.reduce(0, +) == count + 1)
        #expect(lines.last.map(Array.init) == Array(line.dropLast()))
    }

    /// Returns the current content of a pipe.
    private func content(of pipe: Pipe) -> Data {
        var bytes = Data(count: 1 << 20)
        let count = bytes.withUnsafeMutableBytes {
            read(pipe.fileHandleForReading.fileDescriptor, $0.baseAddress, $0.count)
        }
        return bytes.prefix(max(count, 0))
    }

    @Test func aClosedDescriptorIsIgnored() {
        LogOutput(descriptor: -1).write([UInt8(ascii: "\n")])
    }
}
