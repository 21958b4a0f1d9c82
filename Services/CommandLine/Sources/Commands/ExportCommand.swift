import ArgumentParser
import CloudKitModel
import CommandLineSession

/// `zonda export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the records of zones to a file for zonda import.",
        discussion: """
            Each line is one web-services operation, which creates a zone or saves a record with all its fields:
              {"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}
              {"operationType":"forceReplace","zoneID":{"zoneName":"Notes"},"record":{"recordName":"a",…}}
            The database may be in use: the file contains each zone as it was when its last page was read. A record \
            that changes during the export has several lines; only the last one counts. If the record is deleted, \
            its last line is a forceDelete. Records that were deleted before the export are omitted. Tags, times and \
            users are informational; an import creates new ones. Shares are omitted, with their participants and \
            links, so an import creates no shares. Share the records again in the new database.

            An asset is represented by its checksum and size. With --assets, the bytes are downloaded into files \
            that are named after the checksums in hexadecimal digits, as printed by sha256sum. Identical content is \
            downloaded only once, and existing files are not downloaded again.

            With --database shared, exports what others share with the user. The lines do not name the owners of the \
            zones. If zones of different owners have the same name, export each owner's zones to a separate file.

            In the public database, records whose type does not grant READ to the user are omitted. With the compat \
            profile, the default zone and the public database cannot be exported, because they have no change feeds.

            The report is written to standard error.

            EXAMPLES
              zonda export --all -o backup.ndjson --assets backup.assets
              zonda export --zone Notes --zone Drafts | gzip > notes.ndjson.gz
              zonda export --all --database public -o public.ndjson
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "A zone to export; may be repeated.")
    var zone: [String] = []

    @Option(
        help:
            "The user who owns the zones; required in the shared database unless --all exports the zones of all users."
    )
    var owner: String?

    @Flag(help: "Export all zones of the database.")
    var all = false

    @Option(name: [.customShort("o"), .long], help: "The file to write, or - for standard output.")
    var output = "-"

    @Option(help: "The folder for the bytes of assets; created if missing.")
    var assets: String?

    func validate() throws {
        guard all == zone.isEmpty else { throw ValidationError("Specify either --zone or --all") }
        guard Set(zone).count == zone.count else { throw ValidationError("A zone is specified twice") }
    }

    func run() async throws {
        let isShared = try global.scope().database == .shared
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
                    return try await exporter.run(all ? nil : zone, of: owner, isShared: isShared)
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
