internal import CLinux
internal import Foundation
internal import Logging
internal import Synchronization

/// The output of a log. A line for which the pipe has no room is dropped, so that a stalled reader does not stop the
/// service. Before the next line that fits, a warning states how many lines were dropped.
final class LogOutput: Sendable {
    private struct State {
        /// The number of lines dropped since the last line that was written.
        var dropped = 0
        /// Whether the last line was written only in part.
        var isCut = false
    }

    /// The size in bytes of the largest write that does not block if `poll` reports a pipe as writable: `PIPE_BUF`.
    private static let pieceBytes = 4096

    private let descriptor: Int32
    /// The lock also prevents the lines of different threads from being mixed.
    private let state = Mutex(State())

    /// Creates an output on a file descriptor. The descriptor stays open and its flags do not change, because other
    /// processes can share it.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line, or drops it if there is no room.
    func write(_ line: [UInt8]) {
        state.withLock { state in
            if state.dropped > 0, write(Self.notice(of: state.dropped).bytes, &state) { state.dropped = 0 }
            if state.dropped > 0 || !write(line, &state) { state.dropped += 1 }
        }
    }

    private static func notice(of dropped: Int) -> JSONLogLine {
        JSONLogLine(
            milliseconds: UTCTime.now, level: .warning, label: "zonda.log",
            message: "log lines were dropped because their reader was too slow", metadata: ["lines": "\(dropped)"])
    }

    /// Writes as much of a line as there is room for. Returns whether the whole line was written.
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
