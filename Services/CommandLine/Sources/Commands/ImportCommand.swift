import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Execute a file of operations, one per line.",
        discussion: """
            Each line is one web-services operation on a record, or one that creates a zone:
              {"operationType":"forceReplace","zoneID":{"zoneName":"Notes"},"record":{"recordName":"a",…}}
              {"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}
            With --zone, all records are saved in that zone, regardless of the zones in the lines. Operations on \
            different records are sent in batches and in parallel. Operations on the same record are executed one \
            after the other, in the order of the file. Saves are never in progress at the same time as deletions. A \
            record may precede the records that it refers to. A request is retried with the same message id while the \
            service or the broker is unavailable, so that every line takes effect only once.

            If the container already has the bytes of an asset without a receipt, the command requests a receipt as \
            an operator. Otherwise, it uploads the file in --assets that is named after the checksum. If there is no \
            such file, the line fails.

            EXAMPLES
              zonda import backup.ndjson --assets backup.assets
              zonda import packages.ndjson --zone debian --create-zone
              generate | zonda import - --zone Notes --batch 200 --rejects failed.ndjson
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "The zone for all records. Default: the zone that each line specifies.")
    var zone: String?

    @Option(help: ArgumentHelp(ZonePlace.ownerHelp))
    var owner: String?

    @Argument(help: "The file to read, or - for standard input.")
    var file: String

    @Option(help: "The number of operations in a request; at most 2000.")
    var batch = 100

    @Option(help: "The maximum number of requests in progress.")
    var inFlight = 8

    @Flag(help: "First create the zone given by --zone, unless it already exists.")
    var createZone = false

    @Option(help: "The folder with the bytes of assets, as written by zonda export.")
    var assets: String?

    @Option(help: "The file in which to save the failed lines, unchanged.")
    var rejects: String?

    func validate() throws {
        guard (1...2000).contains(batch) else { throw ValidationError("--batch must be from 1 to 2000") }
        if createZone, zone == nil { throw ValidationError("--create-zone requires --zone") }
        guard (1...1000).contains(inFlight) else { throw ValidationError("--in-flight must be from 1 to 1000") }
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
                        plan: Importer.Plan(zone: zone, owner: owner, batchCount: batch, inFlight: inFlight),
                        requester: session,
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
