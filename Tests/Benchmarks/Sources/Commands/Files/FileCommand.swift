internal import ArgumentParser

/// `zonda-limits file`.
struct FileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file",
        abstract: "Measure the bytes per second that a bare program writes or serves.",
        discussion: """
            With --write, the file is hashed, written to a new file in the given folder and synchronized to the disk. \
            The new file is then removed. With --serve, the file is sent over TCP on this machine to a client that \
            discards it. Prints {"bytes", "seconds", "perSecond"}.
            """)

    @Option(help: "The folder for the new file.", completion: .directory)
    var write: String?

    @Flag(help: "Send the file.")
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
