internal import Foundation
internal import Logging

/// A log handler that writes each event to standard error, as a line that contains one JSON object.
struct JSONLogHandler: LogHandler {
    private static let output = LogOutput(descriptor: STDERR_FILENO)

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
        let line = JSONLogLine(
            milliseconds: UTCTime.now, level: event.level, label: label, message: event.message.description,
            metadata: all)
        Self.output.write(line.bytes)
    }
}
