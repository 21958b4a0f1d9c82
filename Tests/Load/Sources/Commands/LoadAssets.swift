import ArgumentParser
import CommandLineSession

/// `zonda load assets`.
struct LoadAssets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assets",
        abstract: "Upload, save, replace, delete and download assets, and verify every byte.",
        discussion: """
            Contents are random and have 0.5 to 1.5 times --size bytes. A third of the uploads repeat a content that \
            the run has used before, possibly in a deleted record. A quarter of the contents of up to 1 MiB are sent \
            in messages; all others are sent over HTTP. If a service is unavailable, a step is repeated for up to a \
            minute, and an interrupted upload starts again.

            With --verify, the assets of all records are downloaded at the end. 'wrongBytes' counts assets that differ \
            from the saved ones, 'missing' those that do not exist. With --drain, all records are deleted at the end, \
            and 'left' counts the contents that the store has not deleted within that time. The time must be longer \
            than the sum of ZONDA_ASSET_RECEIPT_LIFE, ZONDA_ASSET_GRACE and twice ZONDA_ASSET_SWEEP. The exit status \
            is 1 if one of these counts is above zero, if a record could not be verified, or if nothing was uploaded.

            The latency is the duration of a step: an upload with its save, an additional reference, a deletion, or a \
            download. 'perSecond' counts uploads, saves, replacements, references, deletions and downloads.

            If, after the duration, no request is answered for --grace because the broker or a service is unavailable, \
            the load gives up: 'outstanding' counts the requests in progress, and the exit status is 1.

            EXAMPLES
              zonda load assets --duration 20s --verify
              zonda load assets --size 20000000 --producers 2 --duration 1m --json
            """)

    private static let defaults = AssetLoadPlan()

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: LoadOptions

    @Option(help: "The number of zones over which the records are distributed; missing zones are created.")
    var zones = defaults.zones

    @Option(help: "The average size of an asset, in bytes.")
    var size = defaults.sizeBytes

    @Option(help: "The maximum number of steps in progress per producer.")
    var inFlight = defaults.inFlight

    @Flag(help: "Download and verify all assets at the end.")
    var verify = false

    @Option(
        help: ArgumentHelp(
            "The maximum time to wait for the deletion of the contents, after deleting all records at the end.",
            valueName: "time"
        ),
        transform: Duration.parse)
    var drain: Duration?

    private var plan: AssetLoadPlan {
        AssetLoadPlan(
            producers: options.producers, zones: zones, duration: options.duration, sizeBytes: size,
            inFlight: inFlight, verifies: verify, drain: drain, seed: options.seedOrNew)
    }

    func validate() throws {
        if let fault = plan.fault { throw ValidationError(fault) }
    }

    func run() async throws {
        let plan = plan
        let container = try global.scope().container
        try await global.runLoad(options, window: plan.inFlight) { sessions, grace in
            try await AssetTransfer.with(connections: plan.slots, policy: RetryPolicy(), observer: grace) { transfer in
                try await AssetLoad(plan: plan, producers: sessions, transfer: transfer, container: container) {
                    Console.progress($0)
                }.run()
            }
        }
    }
}
