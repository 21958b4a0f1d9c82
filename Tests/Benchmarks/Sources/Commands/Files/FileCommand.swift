internal import ArgumentParser

/// `zonda-limits file`.
struct FileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file",
        abstract: "Bytes a second that a program alone takes in, or gives out.",
        discussion: """
            With --write the file is hashed and written into a new one of that folder until the disk has it; that \
            one is removed. With --serve it is sent over TCP of this machine to a client that drops it. Prints \
            {"bytes", "seconds", "perSecond"}.
            """)

    @Option(help: "The folder to write into.", completion: .directory)
    var write: String?

    @Flag(help: "Sends the file.")
    var serve = false

    @Argument(help: "The file.", completion: .file())
    var file: String

    func validate() throws {
        guard serve == (write == nil) else { throw ValidationError("Give either --write FOLDER or --serve") }
    }

    func run() throws {
        let result = try write.map { try FileLimit.write(file, into: $0) } ?? FileLimit.serve(file)
        printLine(result.json(unit: "bytes"))
    }
}
