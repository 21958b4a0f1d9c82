internal import Foundation
package import Logging

/// The log of a service: one line an event, on standard error.
package enum ServiceLog {
    /// How a line is written.
    package enum Format: String, Sendable, CaseIterable {
        /// A JSON object: see ``JSONLogLine``.
        case json
        /// For people at a terminal.
        case text
    }

    /// Sets the process's log handler; once, first thing. From then on a reader that has gone, of the log or of anything
    /// else, does not end the process.
    ///
    /// - Parameter metadataProvider: what the present task works for, added to each of its lines.
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
