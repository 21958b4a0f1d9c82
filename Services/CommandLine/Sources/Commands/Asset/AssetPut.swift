import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// `zonda asset put`.
struct AssetPut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Upload files, and optionally save them in a record.",
        discussion: """
            Streams each file and verifies the checksum of the bytes that the service received. An interrupted upload \
            resumes where it stopped, even in a later run of the command within an hour. If one of the user's \
            records in the same database already refers to a file's content, the file is not sent again.

            Without --zone, prints one asset dictionary per line, for use as the value of a field in a later save. \
            With --zone, saves the assets in a field of the record and leaves its other fields unchanged \
            (forceUpdate). Several files are saved as a list.

            EXAMPLES
              zonda asset put map.png --zone Notes --type Note --name trip --field map
              zonda asset put small.txt --message
            """)

    /// The maximum size of an asset in `assets.put`, in bytes.
    private static let maxMessageBytes = Int64(AssetLimits.maxMessageBytes)

    @OptionGroup var global: GlobalOptions

    @Option(help: "The zone of the record to save.")
    var zone: String?

    @Option(help: ArgumentHelp(ZonePlace.ownerHelp))
    var owner: String?

    @Option(help: "The record's type.")
    var type: String?

    @Option(help: "The record's name. Default: a new name.")
    var name: String?

    @Option(help: "The record's field.")
    var field: String?

    @Flag(help: "Send the files in messages instead of over HTTP; at most 1 MiB each.")
    var message = false

    @Argument(help: "The files.", completion: .file())
    var files: [String]

    func validate() throws {
        guard (1...200).contains(files.count) else { throw ValidationError("Specify 1 to 200 files") }
        if zone != nil {
            guard type != nil, field != nil else { throw ValidationError("--zone requires --type and --field") }
        } else if type != nil || name != nil || field != nil || owner != nil {
            throw ValidationError("--owner, --type, --name and --field require --zone")
        }
    }

    func run() async throws {
        try await global.withSession { session in
            let files = try await openFiles()
            let (recordName, assets) = message ? try await put(files, session) : try await upload(files, session)
            guard let zone, let field else {
                for asset in assets { Console.print(asset.json.text) }
                return
            }
            try RecordPrinter(global: global).show(
                [try await save(assets, field: field, zone: zone, recordName: recordName, session)])
        }
    }

    private func openFiles() async throws -> [AssetFile] {
        var opened: [AssetFile] = []
        for path in files {
            let file = try LocalFile(path: path)
            if message, file.size > Self.maxMessageBytes {
                throw RequestFailure.local(.file, reason: "'\(path)' is larger than 1 MiB: omit --message")
            }
            opened.append(try await AssetFile(file))
        }
        return opened
    }

    private func put(_ files: [AssetFile], _ session: BrokerSession) async throws -> (String, [AssetValue]) {
        var assets: [AssetValue] = []
        for file in files {
            assets.append(
                try await session.put(AssetBytes(try await file.bytes()), limit: .requestLimit))
            try file.file.checkUnchanged()
        }
        return (name ?? UUID().uuidString.lowercased(), assets)
    }

    private func upload(_ files: [AssetFile], _ session: BrokerSession) async throws -> (String, [AssetValue]) {
        var recordName = name
        let total = files.reduce(0) { $0 + $1.size }
        let scope = try global.scope()
        let place = [scope.container, scope.environment.rawValue, scope.database.wireName, scope.user ?? ""]
        defer { Console.endProgress() }
        return try await AssetTransfer.with { transfer in
            var assets: [AssetValue] = []
            var sent: Int64 = 0
            for file in files {
                // Addresses are requested one at a time. If all of them were requested first, the last ones might
                // expire before their files were sent.
                let address = try await session.uploadAddresses(
                    1, type: type, recordName: recordName, field: field ?? "file", source: file,
                    zone: owner.flatMap { owner in zone.map { ZonePlace($0, owner: owner) } },
                    limit: .requestLimit)[0]
                recordName = address.recordName
                let bar = TransferBar(name: file.file.path, before: sent, total: total, isHidden: global.json)
                let memory = UploadMemory(
                    of: file.checksum, to: place, environment: ProcessInfo.processInfo.environment)
                do {
                    assets.append(
                        try await session.upload(
                            file, to: address, over: transfer, limit: AssetTransfer.commandLimit,
                            memory: memory, progress: { bar.show($0) }))
                } catch {
                    // If the file changed after it was hashed, the change is the cause of the failure.
                    try file.file.checkUnchanged()
                    throw error
                }
                try file.file.checkUnchanged()
                sent += file.size
            }
            return (recordName ?? "", assets)
        }
    }

    private func save(
        _ assets: [AssetValue], field: String, zone: String, recordName: String, _ session: BrokerSession
    ) async throws(RequestFailure) -> JSONValue {
        let value: JSONValue =
            assets.count == 1
            ? ["value": assets[0].json, "type": "ASSETID"]
            : ["value": .array(assets.map(\.json)), "type": "ASSETID_LIST"]
        let record = JSONValue.object(having: [
            ("recordName", .string(recordName)), ("recordType", type.map { .string($0) }),
            ("fields", .object([JSONValue.Member(field, value)])),
        ])
        let answer = try await session.ask(
            .recordsModify,
            [
                "zoneID": ZonePlace(zone, owner: owner).json,
                "operations": [
                    ["operationType": .string(RecordOperation.Kind.forceUpdate.rawValue), "record": record]
                ],
            ], limit: .requestLimit)
        return answer["records"]?[0] ?? .null
    }
}
