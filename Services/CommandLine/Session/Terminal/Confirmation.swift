import ArgumentParser
import Glibc

/// A question that a person answers before something is done that cannot be undone.
package enum Confirmation {
    /// Asks at the terminal; anything but a yes ends the command.
    ///
    /// - Throws: `ExitCode.failure` after telling why nothing is done.
    package static func ask(_ question: String) async throws {
        guard isatty(STDIN_FILENO) == 1 else {
            Console.report("zonda: nothing is done without a yes: give --yes")
            throw ExitCode.failure
        }
        Console.prompt("\(question) [y/N] ")
        var input = try LineReader(path: "-")
        let answer = String(decoding: try await input.next() ?? [], as: UTF8.self).lowercased()
        guard answer == "y" || answer == "yes" else {
            Console.report("zonda: nothing is done")
            throw ExitCode.failure
        }
    }
}
