internal import ArgumentParser
internal import Foundation
internal import ServiceMessages

/// `zonda-limits broker`.
struct BrokerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker",
        abstract: "Measure the requests per second that RabbitMQ delivers to a program that only answers.",
        discussion: """
            A queue with the same arguments as a service's is declared and deleted afterwards. Requests are persistent \
            and mandatory. A second process answers to amq.rabbitmq.reply-to, with the prefetch of the service. Prints \
            {"requests", "seconds", "perSecond"}.
            """)

    @Option(help: "The service's queue.")
    var like = Queue.recordWrites

    @Option(help: "The number of connections that publish.")
    var producers = 4

    @Option(help: "The number of requests in progress per connection.")
    var inFlight = 64

    @Option(help: "The size of a request's body, in bytes.")
    var bytes = 600

    @Option(help: "The size of an answer's body, in bytes.")
    var replyBytes = 300

    @Option(help: "The maximum number of unacknowledged requests of the answering process.")
    var prefetch = AnswerCommand.defaultPrefetch

    @Option(help: "The time during which requests are started: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...1000).contains(producers), (1...5000).contains(inFlight), bytes >= 0, replyBytes >= 0 else {
            throw ValidationError("--producers must be from 1 to 1000, --in-flight from 1 to 5000, sizes at least 0")
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
