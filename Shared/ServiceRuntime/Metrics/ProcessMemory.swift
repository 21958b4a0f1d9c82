internal import CLinux
internal import Foundation

/// The memory of this process, as the kernel counts it.
package struct ProcessMemory: Sendable {
    /// Resident now, bytes.
    package let residentBytes: Int
    /// The most that ever was resident, bytes.
    package let peakBytes: Int

    /// Sets how the C library gets memory from the kernel and gives it back. First thing in a process.
    ///
    /// Threads share two heaps: with a heap for each thread, a process that works on a few threads in turn would hold a
    /// multiple of what it needs, as no thread could use what another has freed. A block of 256 KiB or more is mapped by
    /// itself and goes back to the kernel when it is freed. Left alone, the C library raises that threshold to 32 MiB
    /// after the first large block, and then large messages leave holes in the heap that stay resident.
    package static func configureHeaps() {
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
        // What is free at the top of a heap; small enough to be given back, large enough to be kept from one request to
        // the next.
        mallopt(M_TRIM_THRESHOLD, 16 << 20)
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
