import Foundation
import ServiceMessages
import Synchronization
import TestSupport

/// The most memory that each service has resident while it is attacked.
final class MemoryWatch: Sendable {
    /// The bound of each service at the rate of attack, bytes.
    static let bounds: [ServiceName: Int] = [
        .record: 700_000_000, .asset: 200_000_000, .subscription: 300_000_000, .gateway: 500_000_000,
    ]

    private let services: [(name: ServiceName, process: ServiceProcess)]
    private let peaks = Mutex<[ServiceName: Int]>([:])

    init(_ services: [(name: ServiceName, process: ServiceProcess)]) { self.services = services }

    /// The peaks while ``run()`` ran, bytes.
    var peak: [ServiceName: Int] { peaks.withLock { $0 } }

    /// Looks ten times a second, until cancelled.
    func run() async {
        while !Task.isCancelled {
            for (name, process) in services {
                let bytes = Self.bytes(of: process, "VmRSS")
                peaks.withLock { $0[name] = max($0[name] ?? 0, bytes) }
            }
            try? await ContinuousClock().sleep(for: .milliseconds(100))
        }
    }

    /// A line of `/proc/…/status`, bytes; 0 when the process has ended.
    static func bytes(of process: ServiceProcess, _ line: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)) ?? ""
        let words = text.split(separator: "\n").first { $0.hasPrefix("\(line):") }?.split(
            whereSeparator: \.isWhitespace)
        return (words.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 1024
    }
}
