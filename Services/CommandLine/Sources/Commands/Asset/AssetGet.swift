import ArgumentParser
import CloudKitWire
import CommandLineSession
import Glibc
internal import ServiceMessages

/// `zonda asset get`.
struct AssetGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download an asset from a record.",
        discussion: """
            Writes the bytes to FILE.part, verifies their checksum, and then renames the file. An interrupted download \
            resumes where it stopped, even in a later run of the command. Bytes written to standard output are \
            correct only if the exit status is 0.

            EXAMPLES
              zonda asset get --zone Notes --name trip --field map -o map.png
              zonda asset get --zone Notes --name trip --field log | less
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var source: AssetPlaceOptions

    @Option(name: [.customShort("o"), .long], help: "The file to write, or - for standard output.")
    var output = "-"

    func validate() throws {
        _ = try source.place()
        if output == "-", isatty(STDOUT_FILENO) == 1 {
            throw ValidationError("Refusing to write binary data to a terminal: specify -o FILE")
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
                // The bytes received so far are kept, so that another run can resume the download.
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
