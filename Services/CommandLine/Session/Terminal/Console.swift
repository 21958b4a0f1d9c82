import Glibc

/// The two output streams. Results go to standard output, everything about them (progress, errors) to standard error.
package enum Console {
    /// Whether a person reads standard error, so that a line may be drawn over.
    static let showsProgress = isatty(STDERR_FILENO) == 1

    /// Writes a line to standard output.
    package static func print(_ line: String) { Swift.print(line) }

    /// Hands on what was printed so far.
    package static func flush() { fflush(nil) }

    /// Writes a line to standard error, at once.
    package static func report(_ line: String) { write(error: line + "\n") }

    /// Writes a question to standard error; the answer is typed behind it.
    package static func prompt(_ question: String) { write(error: question) }

    /// Draws `line` over the last progress line, if a person reads along.
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
