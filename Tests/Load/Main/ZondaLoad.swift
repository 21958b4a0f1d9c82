import LoadGenerator

/// The executable `zonda-load`.
@main
struct ZondaLoad {
    static func main() async { await LoadCommand.runFromArguments() }
}
