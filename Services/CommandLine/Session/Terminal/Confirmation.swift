import ArgumentParser
import Glibc

/// A confirmation before an action that cannot be undone.
package enum Confirmation {
    /// Asks `question` at the terminal. Any answer other than yes cancels the command.
    ///
    /// - Throws: `ExitCode.failure` after printing the reason.
    package static func ask(_ question: String) async throws {
        guard isatty(STDIN_FILENO) == 1 else {
            Console.report("zonda: not confirmed: specify --yes")
            throw ExitCode.failure
        }
        Console.prompt("\(question) [y/N] ")
        var input = try LineReader(path: "-")
        let answer = String(decoding: try await input.next() ?? [], as: UTF8.self).lowercased()
        guard answer == "y" || answer == "yes" else {
            Console.report("zonda: cancelled")
            throw ExitCode.failure
        }
    }
}
