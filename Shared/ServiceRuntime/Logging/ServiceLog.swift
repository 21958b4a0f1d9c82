internal import Foundation
package import Logging

/// The log of a service: one line per event, on standard error.
package enum ServiceLog {
    /// The format of a line.
    package enum Format: String, Sendable, CaseIterable {
        /// A JSON object: see ``JSONLogLine``.
        case json
        /// Plain text, for a terminal.
        case text
    }

    /// Installs the process's log handler. Must be called once, before any other code in the process logs. The process
    /// then also ignores SIGPIPE, so that writing to a closed pipe or socket does not end the process.
    ///
    /// - Parameter metadataProvider: provides the current task's metadata, which is added to each of the task's lines.
    package static func bootstrap(level: Logger.Level, format: Format, metadataProvider: Logger.MetadataProvider) {
        signal(SIGPIPE, SIG_IGN)
        LoggingSystem.bootstrap(
            { label, provider in
                var handler: any LogHandler =
                    switch format {
                    case .json: JSONLogHandler(label: label, metadataProvider: provider)
                    case .text: StreamLogHandler.standardError(label: label, metadataProvider: provider)
                    }
                handler.logLevel = level
                return handler
            }, metadataProvider: metadataProvider)
    }
}
