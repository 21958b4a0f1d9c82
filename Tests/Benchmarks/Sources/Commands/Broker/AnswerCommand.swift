internal import ArgumentParser
internal import Foundation

/// `zonda-limits answer`, the answering or forwarding program for ``BrokerCommand`` and ``RelayCommand``.
struct AnswerCommand: AsyncParsableCommand {
    /// The default prefetch, which is that of the record service.
    static let defaultPrefetch: UInt16 = 1000

    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer or forward every message of a queue until standard input ends.",
        shouldDisplay: false)

    @Option(help: "The queue.")
    var queue: String

    @Option(help: "The size of an answer's body, in bytes.")
    var replyBytes = 0

    @Option(help: "Publish each message unchanged to this exchange instead of answering it.")
    var forwardTo: String?

    @Option(help: "The maximum number of unacknowledged messages.")
    var prefetch = AnswerCommand.defaultPrefetch

    @Option(help: "Answer the query with this name, with the rows of its hand-written statement.")
    var query: BenchQuery?

    @Option(help: "The zone of the query.")
    var zone = PackagesCommand.defaultZone

    @Option(help: "The table that the statement reads.")
    var table = BareTable.Kind.records

    @Option(help: "The number of connections to the database, each with one statement at a time.")
    var connections = 4

    func run() async throws {
        if let query {
            let table = try await BareTable(table, zone: zone, recordType: query.recordType)
            try await LimitEnvironment.withPlainPool(connections: connections) { pool in
                let answerer = try await QueryAnswerer(query, zone: zone, table: table, over: pool)
                try await untilInputEnds {
                    try await answerer.run(
                        try LimitEnvironment.broker(), queue: queue, prefetch: prefetch, over: pool,
                        connections: connections
                    ) { Self.tellReady() }
                }
            }
            return
        }
        let answerer = Answerer(
            configuration: try LimitEnvironment.broker(), queue: queue, prefetch: prefetch,
            answer: forwardTo.map(Answerer.forward) ?? Answerer.reply(bytes: replyBytes))
        try await untilInputEnds { try await answerer.run { Self.tellReady() } }
    }

    private func untilInputEnds(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            group.addTask { await AnsweringProcess.waitForEndOfInput() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Prints the line without buffering, because the other process waits for it.
    private static func tellReady() {
        FileHandle.standardOutput.write(Data("\(AnsweringProcess.readyLine)\n".utf8))
    }
}
