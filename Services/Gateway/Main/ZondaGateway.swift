import ArgumentParser
import Gateway
import RequestServing

@main
struct ZondaGateway: AsyncParsableCommand {
    static var configuration: CommandConfiguration { ServiceCommands<Gateway>.configuration }
}
