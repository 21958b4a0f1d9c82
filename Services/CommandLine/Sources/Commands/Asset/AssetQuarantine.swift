import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda asset quarantine`: an operator's command.
struct AssetQuarantine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "List the contents whose files are lost or damaged, the longest known first.",
        discussion: """
            They are not served until the same content is uploaded again, or the file of that key is put back. `zonda \
            asset refs CHECKSUM` lists the records.

            EXAMPLE
              zonda asset quarantine --limit 20
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var list: AssetListOptions

    func run() async throws { try await Self.table.show(global, list) }

    static let table = AssetTable(
        operation: .assetsQuarantine, key: "blobs",
        columns: [AssetTable.moment("SINCE", "damagedAt"), ("DAMAGE", { $0["damage"]?.string ?? "" })])
}
