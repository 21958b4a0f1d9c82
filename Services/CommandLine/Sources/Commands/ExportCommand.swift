import ArgumentParser
import CommandLineSession

/// `zonda export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the records of zones to a file that zonda import takes.",
        discussion: """
            A line is one web-services operation: it makes a zone, or saves a record with all of its fields:
              {"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}
              {"operationType":"forceReplace","zoneID":{"zoneName":"Notes"},"record":{"recordName":"a",…}}
            Others may go on writing: each zone is as it was when its last page was read. A record that changes \
            meanwhile has several lines, of which the last counts; one that is deleted has a forceDelete at last. \
            Records that were deleted before are left out. Tags, times and users are there to be read; an import makes \
            its own.

            An asset is its checksum and size. With --assets its bytes are fetched too, each content once, into a file \
            that is named by its checksum in hexadecimal digits, as sha256sum prints it; what is there already is not \
            fetched again.

            What the user may not read is not there: in the public database, records of types without READ for the user. In \
            the profile compat the default zone and the public database have no feeds to be exported from.

            The report goes to standard error.

            EXAMPLES
              zonda export --all -o backup.ndjson --assets backup.assets
              zonda export --zone Notes --zone Drafts | gzip > notes.ndjson.gz
              zonda export --all --database public -o public.ndjson
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "A zone; may be given several times.")
    var zone: [String] = []

    @Flag(help: "All zones of the database.")
    var all = false

    @Option(name: [.customShort("o"), .long], help: "The file to write; - is standard output.")
    var output = "-"

    @Option(help: "The folder for the bytes of assets; made if it is missing.")
    var assets: String?

    func validate() throws {
        guard all == zone.isEmpty else { throw ValidationError("Give --zone or --all") }
        guard Set(zone).count == zone.count else { throw ValidationError("A zone is named twice") }
    }

    func run() async throws {
        try await global.withSession { session in
            let file = try DownloadFile(path: output)
            let report: ExportReport
            do {
                defer { Console.endProgress() }
                let folder = assets.map { AssetFolder(path: $0) }
                try folder?.make()
                report = try await AssetTransfer.with { transfer in
                    let exporter = Exporter(
                        requester: session,
                        assets: folder.map { ExportAssets(requester: session, transfer: transfer, folder: $0) },
                        progress: { report, fraction in
                            Console.progress(ProgressBar.line(fraction: fraction, report.line))
                        },
                        write: { lines throws(RequestFailure) in try await file.append(lines) })
                    return try await exporter.run(all ? nil : zone)
                }
                try await file.finish()
            } catch {
                file.discard()
                throw error
            }
            for failure in report.firstFailures { global.report(failure) }
            if report.failed > report.firstFailures.count {
                Console.report("… and \(report.failed - report.firstFailures.count) more assets failed")
            }
            Console.report(global.json ? report.json.text : report.line)
            guard report.failed == 0 else { throw ExitCode.failure }
        }
    }
}
