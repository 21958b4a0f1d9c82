import ArgumentParser
import CommandLineSession
import Glibc

/// Where a password comes from. It is never an argument: the list of processes and the shell's history show those.
struct PasswordOptions: ParsableArguments {
    @Flag(help: "Read the password from standard input, one line; at a terminal it is asked for and not shown.")
    var passwordStdin = false

    @Option(help: "Read the password from this file.")
    var passwordFile: String?

    func validate() throws {
        guard !passwordStdin || passwordFile == nil else {
            throw ValidationError("Give --password-stdin or --password-file, not both")
        }
    }

    /// Whether there is to be one.
    var isGiven: Bool { passwordStdin || passwordFile != nil }

    /// The password; nil when none of the options is given.
    ///
    /// - Throws: a `ValidationError` when there is none, or the file cannot be read.
    func password() throws -> String? {
        if let passwordFile {
            guard let text = SecretFile.text(at: passwordFile) else {
                throw ValidationError("--password-file: \(passwordFile) cannot be read")
            }
            return try Self.nonempty(text)
        }
        return passwordStdin ? try Self.nonempty(Self.typed() ?? "") : nil
    }

    private static func nonempty(_ text: String) throws -> String {
        guard !text.isEmpty else { throw ValidationError("The password is empty") }
        return text
    }

    /// A line of standard input; at a terminal it is not shown while it is typed.
    private static func typed() -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return readLine() }
        var shown = termios()
        tcgetattr(STDIN_FILENO, &shown)
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            Console.report("")
        }
        Console.prompt("password: ")
        return readLine()
    }
}
