import Glibc

/// The output streams. Results go to standard output; progress and errors go to standard error.
package enum Console {
    /// Whether standard error is a terminal, where a line can be overwritten.
    static let showsProgress = isatty(STDERR_FILENO) == 1

    /// Writes a line to standard output.
    package static func print(_ line: String) { Swift.print(line) }

    /// Flushes standard output.
    package static func flush() { fflush(nil) }

    /// Writes a line to standard error, unbuffered.
    package static func report(_ line: String) { write(error: line + "\n") }

    /// Writes a prompt to standard error, without a newline.
    package static func prompt(_ question: String) { write(error: question) }

    /// Replaces the progress line, if standard error is a terminal.
    package static func progress(_ line: String) {
        if showsProgress { write(error: "\r\u{1B}[K" + line) }
    }

    /// Removes the progress line.
    package static func endProgress() { progress("") }

    private static func write(error text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let base = rest.baseAddress, rest.count > 0 {
                let written = Glibc.write(STDERR_FILENO, base, rest.count)
                guard written > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }
}
