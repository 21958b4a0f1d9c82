import ArgumentParser
import AssetService
import RequestServing

@main
struct ZondaAsset: AsyncParsableCommand {
    static var configuration: CommandConfiguration { ServiceCommands<AssetService>.configuration }
}
