import ArgumentParser
import RequestServing
import SubscriptionService

@main
struct ZondaSubscription: AsyncParsableCommand {
    static var configuration: CommandConfiguration { ServiceCommands<SubscriptionService>.configuration }
}
