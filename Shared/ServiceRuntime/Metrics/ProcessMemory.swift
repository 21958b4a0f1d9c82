internal import CLinux
internal import Foundation

/// The memory of this process, as reported by the kernel.
package struct ProcessMemory: Sendable {
    /// The current resident memory, in bytes.
    package let residentBytes: Int
    /// The peak resident memory, in bytes.
    package let peakBytes: Int

    /// Configures how the C library obtains memory from the kernel and returns it. Must be called at the start of a
    /// process.
    ///
    /// All threads share two heaps. With a heap for each thread, a process whose work moves between a few threads would
    /// keep several times the memory that it needs, because a thread cannot reuse memory that was freed in another
    /// thread's heap. A block of 256 KiB or more is mapped separately and returned to the kernel when it is freed. By
    /// default, the C library raises that threshold, to as much as 32 MiB, after it frees a large block; large messages
    /// then leave holes in the heap that stay resident.
    package static func configureHeaps() {
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
        // If the free memory at the top of a heap exceeds this size, it is returned to the kernel. The value is large
        // enough to keep memory from one request to the next.
        mallopt(M_TRIM_THRESHOLD, 16 << 20)
    }

    /// Returns the values in `/proc/self/status`, or nil if that file does not exist.
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
