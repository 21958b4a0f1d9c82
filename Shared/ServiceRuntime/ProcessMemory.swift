internal import Foundation

/// The memory of this process, as the kernel counts it.
package struct ProcessMemory: Sendable {
    /// Resident now, bytes.
    package let residentBytes: Int
    /// The most that ever was resident, bytes.
    package let peakBytes: Int

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
