package import Logging

/// The log of a service: one line an event, on standard error.
package enum ServiceLog {
    /// Sets the process's log handler; once, first thing.
    package static func bootstrap(level: Logger.Level) {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }
}
