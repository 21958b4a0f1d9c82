internal import CLinux
internal import Foundation
internal import Logging
internal import Synchronization

/// Where lines of a log go. A line that a pipe has no room for is dropped, and the next one that fits is told to be the
/// first after so many: a log that nobody takes must not stop the service.
final class LogOutput: Sendable {
    private struct State {
        /// Lines since the last that was written.
        var dropped = 0
        /// Whether the last that was written has no end.
        var isCut = false
    }

    /// A pipe that says it has room takes as much without waiting: `PIPE_BUF`.
    private static let pieceBytes = 4096

    private let descriptor: Int32
    /// Also keeps the lines of several threads apart.
    private let state = Mutex(State())

    /// Writes to that descriptor, which stays open and as it is: others may have it, too.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line or drops it.
    func write(_ line: [UInt8]) {
        state.withLock { state in
            if state.dropped > 0, write(Self.notice(of: state.dropped).bytes, &state) { state.dropped = 0 }
            if state.dropped > 0 || !write(line, &state) { state.dropped += 1 }
        }
    }

    private static func notice(of dropped: Int) -> JSONLogLine {
        JSONLogLine(
            milliseconds: UTCTime.now, level: .warning, label: "zonda.log",
            message: "lines of the log were dropped: nobody took them", metadata: ["lines": "\(dropped)"])
    }

    /// Whether all of the line was written.
    private func write(_ line: [UInt8], _ state: inout State) -> Bool {
        let bytes = state.isCut ? [UInt8(ascii: "\n")] + line : line
        var rest = bytes[...]
        while !rest.isEmpty, isReady {
            let written = rest.prefix(Self.pieceBytes).withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { break }
            rest = rest.dropFirst(written)
        }
        if rest.count < bytes.count { state.isCut = !rest.isEmpty }
        return rest.isEmpty
    }

    private var isReady: Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&question, 1, 0) > 0
    }
}
