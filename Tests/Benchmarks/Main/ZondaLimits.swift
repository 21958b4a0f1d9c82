import ArgumentParser
import ServiceLimits

/// The executable `zonda-limits`.
@main
struct ZondaLimits {
    static func main() async { await LimitsCommand.main() }
}
