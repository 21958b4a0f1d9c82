import ArgumentParser
import CommandLineSession
import Foundation
import Glibc

/// `zonda load …`. Replaces the process with the program `zonda-load`, which runs the loads and checks their results.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Generate load and verify the results.",
        discussion: """
            Runs the program zonda-load, which is in the same folder as zonda, with the same arguments. See \
            'zonda load --help'.

            EXAMPLES
              zonda load records --duration 20s --verify
              zonda load assets --duration 20s --verify
              zonda load subscriptions --watchers 50 --duration 20s
            """)

    /// The program that replaces this one.
    static let program = "zonda-load"

    @Argument(parsing: .captureForPassthrough, help: "The load and its options.")
    var arguments: [String] = []

    func run() throws {
        let path = try Self.path()
        // The task might be running on a thread of Swift's thread pool. Such threads block all signals, and the program
        // would inherit their signal mask.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var words = ([Self.name] + arguments).map { strdup($0) }
        words.append(nil)
        execv(path, words)
        let reason = errno == ENOENT ? Self.advice : String(cString: strerror(errno))
        Console.report("zonda: cannot start \(path): \(reason)")
        throw ExitCode.failure
    }

    /// The name that the program uses for itself in its help and its errors.
    private static let name = "zonda load"

    private static let advice = """
        it is not installed. Build it with 'swift build --configuration release --product \(program)' and put it in \
        the same folder as zonda
        """

    /// Returns the path of the program, which is in the same folder as this executable.
    private static func path() throws -> String {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: executable).deletingLastPathComponent().appendingPathComponent(program).path
    }
}
