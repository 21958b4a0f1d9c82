internal import Foundation
internal import Logging
internal import Synchronization

/// Writes each event as one JSON object in one line of standard error.
struct JSONLogHandler: LogHandler {
    /// Keeps the lines of several threads apart when one does not fit into a pipe at once.
    private static let output = Mutex(())

    let label: String
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, metadataProvider: Logger.MetadataProvider?) {
        self.label = label
        self.metadataProvider = metadataProvider
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let line = JSONLogLine(
            milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000, level: event.level, label: label,
            message: event.message.description, metadata: all)
        Self.output.withLock { _ in Self.write(line.bytes) }
    }

    /// What cannot be written is lost: a log that nobody takes must not stop the service.
    private static func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Foundation.write(STDERR_FILENO, rest.baseAddressOfRest, rest.count)
                guard written > 0 || (written < 0 && errno == EINTR) else { return }
                rest = rest.dropFirst(max(0, written))
            }
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var baseAddressOfRest: UnsafeRawPointer? { base.baseAddress.map { $0 + startIndex } }
}
