import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Send a file of operations, one a line.",
        discussion: """
            A line is one web-services operation, on a record or to create a zone:
              {"operationType":"forceReplace","zoneID":{"zoneName":"Notes"},"record":{"recordName":"a",…}}
              {"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}
            With --zone all records go there, whatever the lines say. Lines of different records travel together and \
            in parallel; two lines of one record are never under way at once and keep their order, and so do saves \
            and deletions. A record may come before those that it refers to. A request is repeated under the same \
            message id while the service or the broker is away, so every line takes effect once.

            An asset without a receipt stands for stored bytes: those that the container has, for which an operator \
            may ask, else the file in --assets that is named by their checksum. A line whose bytes are nowhere fails.

            EXAMPLES
              zonda import backup.ndjson --assets backup.assets
              zonda import packages.ndjson --zone debian --create-zone
              generate | zonda import - --zone Notes --batch 200 --rejects failed.ndjson
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "The zone that all records go into. Default: the one that each line names.")
    var zone: String?

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @Option(help: "Operations in one request, at most 2000.")
    var batch = 100

    @Option(help: "Requests under way at once.")
    var inFlight = 8

    @Flag(help: "Make the --zone first.")
    var createZone = false

    @Option(help: "The folder with the bytes of assets, as zonda export made it.")
    var assets: String?

    @Option(help: "Write the lines that failed to this file, as they were.")
    var rejects: String?

    func validate() throws {
        guard (1...2000).contains(batch) else { throw ValidationError("--batch is a number from 1 to 2000") }
        if createZone, zone == nil { throw ValidationError("--create-zone makes the zone of --zone") }
        guard (1...1000).contains(inFlight) else { throw ValidationError("--in-flight is a number from 1 to 1000") }
    }

    func run() async throws {
        let scope = try global.scope()
        let url = try global.brokerURL()
        try await global.failing {
            let rejects = try rejects.map { try RejectsFile(path: $0) }
            let report = try await BrokerSession.with(url: url, scope: scope, maxInFlight: inFlight) { session in
                var lines = try LineReader(path: file)
                if let zone, createZone { try await session.makeZone(zone, limit: .requestLimit) }
                defer { Console.endProgress() }
                return try await AssetTransfer.with { transfer in
                    let importer = Importer(
                        plan: Importer.Plan(zone: zone, batchCount: batch, inFlight: inFlight), requester: session,
                        assets: ImportAssets(
                            requester: session, scope: scope, folder: assets.map { AssetFolder(path: $0) },
                            transfer: transfer),
                        progress: { report, fraction in
                            Console.progress(ProgressBar.line(fraction: fraction, report.line))
                        },
                        reject: { line, _ in try rejects?.write(line) })
                    return try await importer.run(&lines)
                }
            }
            for (line, failure) in report.firstFailures { Console.report("line \(line): \(failure)") }
            if report.failed > report.firstFailures.count {
                Console.report("… and \(report.failed - report.firstFailures.count) more lines failed")
            }
            Console.print(global.json ? report.json.text : report.line)
            guard report.failed == 0 else { throw ExitCode.failure }
        }
    }
}
