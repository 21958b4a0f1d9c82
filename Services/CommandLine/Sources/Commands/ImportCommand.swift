import ArgumentParser
import CloudKitWire
import ServiceMessages

/// `zonda import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Send a file of operations, one a line.",
        discussion: """
            A line is one web-services operation:
              {"operationType":"forceReplace","record":{"recordName":"a",…}}
            Lines of different records travel together and in parallel; two lines of one record name are never under \
            way at once and keep their order. A request is repeated under the same message id while the service or \
            the broker is away, so every line takes effect once.

            EXAMPLES
              zonda import packages.ndjson --zone debian --create-zone
              generate | zonda import - --zone Notes --batch 200 --rejects failed.ndjson
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: ZoneOption

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @Option(help: "Operations in one request, at most 2000.")
    var batch = 100

    @Option(help: "Requests under way at once.")
    var inFlight = 8

    @Flag(help: "Make the zone first.")
    var createZone = false

    @Option(help: "Write the lines that failed to this file, as they were.")
    var rejects: String?

    func validate() throws {
        guard (1...2000).contains(batch) else { throw ValidationError("--batch is a number from 1 to 2000") }
        guard (1...1000).contains(inFlight) else { throw ValidationError("--in-flight is a number from 1 to 1000") }
    }

    func run() async throws {
        let scope = try global.scope()
        let url = try global.brokerURL()
        try await global.failing {
            let rejects = try rejects.map { try RejectsFile(path: $0) }
            let report = try await BrokerSession.with(url: url, scope: scope, maxInFlight: inFlight) { session in
                var lines = try LineReader(path: file)
                if createZone { try await makeZone(session) }
                let importer = Importer(
                    plan: Importer.Plan(zone: place.zone, batchCount: batch, inFlight: inFlight), requester: session,
                    progress: { report, fraction in
                        Console.progress(ProgressBar.line(fraction: fraction, report.line))
                    },
                    reject: { line, _ in try rejects?.write(line) })
                defer { Console.endProgress() }
                return try await importer.run(&lines)
            }
            for (line, failure) in report.firstFailures { Console.report("line \(line): \(failure)") }
            if report.failed > report.firstFailures.count {
                Console.report("… and \(report.failed - report.firstFailures.count) more lines failed")
            }
            Console.print(global.json ? report.json.text : report.line)
            guard report.failed == 0 else { throw ExitCode.failure }
        }
    }

    private func makeZone(_ session: BrokerSession) async throws {
        let answer = try await session.ask(
            .zonesModify, ZoneRequests.modify(.create, [place.zone]), limit: GlobalOptions.requestLimit)
        if let refusal = answer["zones"]?[0].flatMap({ RequestFailure.Refusal($0) }) {
            throw RequestFailure.refused(refusal)
        }
    }
}
