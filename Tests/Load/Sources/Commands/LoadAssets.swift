import ArgumentParser
import CommandLineSession

/// `zonda load assets`.
struct LoadAssets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assets",
        abstract: "Upload, save, replace, delete and download assets, and compare every byte.",
        discussion: """
            Contents are random, from half of --size to one and a half; a third of the uploads are of contents that \
            the run has used before, also of deleted records. A quarter of those up to 1 MiB travel in messages, the \
            others over HTTP. What meets an absent service is repeated for a minute, an upload that was cut off from \
            its beginning. With --verify every record's asset is fetched at the end. 'wrongBytes' counts assets that \
            are not what the record should hold, 'missing' those that should be there and are not. With --drain all \
            records are deleted in the end, and 'left' counts the contents that the store has not deleted in that time: \
            it must be longer than ZONDA_ASSET_RECEIPT_LIFE, ZONDA_ASSET_GRACE and twice ZONDA_ASSET_SWEEP together. \
            Exit status 1 if one of them is above zero, if a record could not be verified, or if nothing was uploaded.

            Latency is that of a step: an upload with its save, another reference, a deletion, or a download. \
            'perSecond' counts uploads, saves, replacements, references, deletions and downloads.

            When nothing is answered for --grace after the duration, because the broker or a service stays away, the load \
            gives up: 'outstanding' counts the requests that were under way, and the exit status is 1.

            EXAMPLES
              zonda load assets --duration 20s --verify
              zonda load assets --size 20000000 --producers 2 --duration 1m --json
            """)

    private static let defaults = AssetLoadPlan()

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: LoadOptions

    @Option(help: "Zones over which the records are spread; they are made if need be.")
    var zones = defaults.zones

    @Option(help: "Bytes of an asset on average.")
    var size = defaults.sizeBytes

    @Option(help: "Steps under way per producer.")
    var inFlight = defaults.inFlight

    @Flag(help: "Fetch everything at the end.")
    var verify = false

    @Option(
        help: ArgumentHelp("Delete all in the end, and wait so long for the contents to go.", valueName: "time"),
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
