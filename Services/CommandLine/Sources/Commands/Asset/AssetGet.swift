import ArgumentParser
import CloudKitWire
import CommandLineSession
import Glibc
internal import ServiceMessages

/// `zonda asset get`.
struct AssetGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download an asset of a record.",
        discussion: """
            The bytes go to FILE.part, their checksum is compared, and only then the file gets its name. An \
            interrupted download goes on where it ended, also when the command is run again. On standard output what came is known to be right when the \
            exit status is 0.

            EXAMPLES
              zonda asset get --zone Notes --name trip --field map -o map.png
              zonda asset get --zone Notes --name trip --field log | less
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var source: AssetPlaceOptions

    @Option(name: [.customShort("o"), .long], help: "The file to write; - is standard output.")
    var output = "-"

    func validate() throws {
        _ = try source.place()
        if output == "-", isatty(STDOUT_FILENO) == 1 {
            throw ValidationError("Bytes do not go to a terminal: give -o FILE")
        }
    }

    func run() async throws {
        let place = try source.place()
        try await global.withSession { session in
            let asset = try await session.asset(at: place, limit: .requestLimit)
            let file = try DownloadFile(path: output)
            let bar = TransferBar(name: output, before: 0, total: asset.size, isHidden: global.json)
            do {
                defer { Console.endProgress() }
                try await AssetTransfer.with { transfer in
                    try await session.download(asset, to: file, over: transfer, limit: AssetTransfer.commandLimit) {
                        bar.show($0)
                    }
                }
                try await file.finish()
            } catch let failure as RequestFailure where failure.isInterruption {
                // Another run goes on with what has come.
                throw failure
            } catch {
                file.discard()
                throw error
            }
            if output != "-" { printSummary(of: asset) }
        }
    }

    private func printSummary(of asset: AssetValue) {
        Console.print(
            global.json
                ? ([
                    "file": .string(output), "size": .int(asset.size), "checksum": .string(asset.checksum.hex),
                    "fileChecksum": .string(asset.checksum.fileChecksum),
                ] as JSONValue).text
                : "\(output)  \(asset.size.grouped) bytes  \(asset.checksum)")
    }
}
