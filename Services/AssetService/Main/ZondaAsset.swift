import ArgumentParser
import AssetService
import RequestServing

@main
struct ZondaAsset: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        var configuration = ServiceCommands<AssetService>.configuration
        configuration.subcommands.append(AdoptCommand.self)
        return configuration
    }
}
