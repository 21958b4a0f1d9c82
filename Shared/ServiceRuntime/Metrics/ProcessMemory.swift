internal import CLinux
internal import Foundation

/// The memory of this process, as the kernel counts it.
package struct ProcessMemory: Sendable {
    /// Resident now, bytes.
    package let residentBytes: Int
    /// The most that ever was resident, bytes.
    package let peakBytes: Int

    /// Keeps the C library from giving every thread a heap of its own: what one frees the others could not use, and a
    /// process that works on a few threads by turns would hold a multiple of what it needs. First thing in a process.
    package static func shareHeaps() {
        mallopt(M_ARENA_MAX, 2)
    }

    /// Reads `/proc/self/status`; nil where there is none.
    package static func current() -> ProcessMemory? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        func kilobytes(_ key: String) -> Int? {
            status.split(separator: "\n").first { $0.hasPrefix(key + ":") }?
                .split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        }
        guard let resident = kilobytes("VmRSS"), let peak = kilobytes("VmHWM") else { return nil }
        return ProcessMemory(residentBytes: resident * 1024, peakBytes: peak * 1024)
    }
}
