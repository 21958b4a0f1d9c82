import CommandLine

/// The executable `zonda`.
@main
struct Zonda {
    static func main() async { await ZondaCommand.runFromArguments() }
}
