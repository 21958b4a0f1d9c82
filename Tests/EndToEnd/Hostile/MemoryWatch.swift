import Foundation
import ServiceMessages
import Synchronization
import TestSupport

/// The peak resident memory of each service during an attack.
final class MemoryWatch: Sendable {
    /// The maximum memory of each service at the rate of the attack, in bytes.
    static let bounds: [ServiceName: Int] = [
        .record: 700_000_000, .asset: 200_000_000, .subscription: 300_000_000, .gateway: 500_000_000,
    ]

    private let services: [(name: ServiceName, process: ServiceProcess)]
    private let peaks = Mutex<[ServiceName: Int]>([:])

    init(_ services: [(name: ServiceName, process: ServiceProcess)]) { self.services = services }

    /// The peaks while ``run()`` was running, in bytes.
    var peak: [ServiceName: Int] { peaks.withLock { $0 } }

    /// Reads the memory ten times a second until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            for (name, process) in services {
                let bytes = Self.bytes(of: process, "VmRSS")
                peaks.withLock { $0[name] = max($0[name] ?? 0, bytes) }
            }
            try? await ContinuousClock().sleep(for: .milliseconds(100))
        }
    }

    /// Returns the value of a line of `/proc/…/status`, in bytes; 0 if the process has ended.
    static func bytes(of process: ServiceProcess, _ line: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)) ?? ""
        let words = text.split(separator: "\n").first { $0.hasPrefix("\(line):") }?.split(
            whereSeparator: \.isWhitespace)
        return (words.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 1024
    }
}
