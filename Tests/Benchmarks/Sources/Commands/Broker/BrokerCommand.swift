internal import ArgumentParser
internal import Foundation
internal import ServiceMessages

/// `zonda-limits broker`.
struct BrokerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker",
        abstract: "Requests a second that RabbitMQ carries to a program that only answers, and back.",
        discussion: """
            A queue with the arguments of a service's is made and deleted afterwards. Requests are persistent and \
            mandatory, answers go to amq.rabbitmq.reply-to; a second process answers, with the prefetch of the \
            service. Prints {"requests", "seconds", "perSecond"}.
            """)

    @Option(help: "The service's queue.")
    var like = Queue.recordWrites

    @Option(help: "Connections that publish.")
    var producers = 4

    @Option(help: "Requests under way per connection.")
    var inFlight = 64

    @Option(help: "Bytes of a request's body.")
    var bytes = 600

    @Option(help: "Bytes of an answer's body.")
    var replyBytes = 300

    @Option(help: "Requests the answering process holds at once.")
    var prefetch = AnswerCommand.defaultPrefetch

    @Option(help: "For how long requests are begun: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...1000).contains(producers), (1...5000).contains(inFlight), bytes >= 0, replyBytes >= 0 else {
            throw ValidationError("--producers 1 to 1000, --in-flight 1 to 5000, sizes not below 0")
        }
    }

    func run() async throws {
        let broker = try LimitEnvironment.broker()
        let limit = BrokerLimit(configuration: broker, producers: producers, inFlight: inFlight, bodyBytes: bytes)
        let result = try await LimitQueues.withQueue(like: like, broker) { queue in
            try await AnsweringProcess.with(
                arguments: ["--queue", queue, "--reply-bytes", "\(replyBytes)", "--prefetch", "\(prefetch)"]
            ) {
                try await limit.run(queue: queue, duration: duration)
            }
        }
        printLine(result.json(unit: "requests"))
    }
}
