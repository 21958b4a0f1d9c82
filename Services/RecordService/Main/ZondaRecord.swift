import ArgumentParser
import RecordService
import RequestServing

@main
struct ZondaRecord: AsyncParsableCommand {
    static var configuration: CommandConfiguration { ServiceCommands<RecordService>.configuration }
}
