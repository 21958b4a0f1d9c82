import ArgumentParser
import CommandLineSession
import ServiceMessages

/// `zonda asset …`.
struct AssetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "asset",
        abstract: "Upload and download assets, and inspect the store.",
        subcommands: [
            AssetPut.self, AssetGet.self, AssetStat.self, AssetReferences.self, AssetJobs.self, AssetUsage.self,
            AssetQuota.self, AssetQuarantine.self, AssetReconcile.self,
        ])
}

extension AssetChecksum: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
