import ArgumentParser
import SubscriptionService
import RequestServing

@main
struct ZondaSubscription: AsyncParsableCommand {
    static var configuration: CommandConfiguration { ServiceCommands<SubscriptionService>.configuration }
}
