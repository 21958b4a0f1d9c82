import ArgumentParser
import CommandLineSession
import Glibc

/// The options that specify where a password is read from. A password is never an argument, because arguments are
/// visible in the process list and in the shell's history.
struct PasswordOptions: ParsableArguments {
    @Flag(help: "Read the password from a line of standard input; at a terminal, prompt for it without echo.")
    var passwordStdin = false

    @Option(help: "The file from which to read the password.")
    var passwordFile: String?

    func validate() throws {
        guard !passwordStdin || passwordFile == nil else {
            throw ValidationError("Specify either --password-stdin or --password-file")
        }
    }

    /// Whether either option is given.
    var isGiven: Bool { passwordStdin || passwordFile != nil }

    /// Returns the password; nil if neither option is given.
    ///
    /// - Throws: a `ValidationError` if the password is empty or the file cannot be read.
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

    /// Reads a line from standard input, without echo at a terminal.
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
