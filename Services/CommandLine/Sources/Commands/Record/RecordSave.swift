import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda record save`.
struct RecordSave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save",
        abstract: "Save one record, or execute the operations on standard input.",
        discussion: """
            \(FieldSpelling.help)

            With --json -, reads JSON from standard input: a CloudKit Web Services record dictionary, to which \
            --operation applies; an operation ({"operationType":…,"record":…}); or an array of these, which is \
            executed atomically.

            EXAMPLES
              zonda record save --zone Notes --type Note shopping title=Milk n:int64=2
              zonda record save --zone Notes --operation update --tag mk3pzz9a \\
                shopping title:null
              echo '{"recordName":"a","recordType":"Note","fields":{}}' |
                zonda record save --zone Notes --json -
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: ZoneOption

    @Option(help: "The record type. Required if the operation may create the record.")
    var type: String?

    @Option(help: "The operation.")
    var operation = RecordOperation.Kind.forceUpdate

    @Option(help: "The change tag that the record must have for update, replace and delete.")
    var tag: String?

    @Argument(help: "The record's name, or - to read JSON.")
    var name: String

    @Argument(help: "The fields, in the form NAME=TEXT or NAME:TYPE=VALUE.")
    var fields: [String] = []

    private var readsInput: Bool { global.json && name == "-" }

    func validate() throws {
        if name == "-", !global.json { throw ValidationError("'-' reads JSON from standard input and requires --json") }
        if readsInput, !fields.isEmpty { throw ValidationError("--json - reads the fields from the input: omit them") }
        if operation.isDelete, !fields.isEmpty { throw ValidationError("A delete operation takes no fields") }
        if !readsInput, operation.mayCreate, type == nil {
            throw ValidationError("\(operation.rawValue) may create the record: specify its --type")
        }
        _ = try spelledFields()
    }

    func run() async throws {
        let operations = readsInput ? try await readOperations() : [try spelledOperation()]
        try await global.withSession { session in
            let answer = try await session.ask(
                .recordsModify,
                ["zoneID": place.json, "operations": .array(operations)],
                limit: .requestLimit)
            try RecordPrinter(global: global).show(answer["records"]?.array ?? [])
        }
    }

    private func spelledFields() throws -> [FieldSpelling] {
        var fields: [FieldSpelling] = []
        for argument in self.fields {
            do {
                fields.append(try FieldSpelling(argument))
            } catch {
                throw ValidationError(error.description)
            }
        }
        guard Set(fields.map(\.name)).count == fields.count else { throw ValidationError("A field is specified twice") }
        return fields
    }

    private func spelledOperation() throws -> JSONValue {
        let fields = try spelledFields().map {
            WireField(name: $0.name, value: $0.value, declaredType: $0.value?.type)
        }
        var writer = WireWriter()
        writer.operation(
            operation,
            WireRecord(
                recordName: RecordName(unchecked: name), recordType: type, recordChangeTag: tag, fields: fields))
        return try JSONValue(parsing: writer.bytes)
    }

    private func readOperations() async throws -> [JSONValue] {
        var text: [UInt8] = []
        do {
            var lines = try LineReader(path: "-")
            while let line = try await lines.next() { text += line + [UInt8(ascii: "\n")] }
            let json = try JSONValue(parsing: text)
            return (json.array ?? json["operations"]?.array ?? [json]).map { item in
                item["operationType"] == nil
                    ? .object(having: [("operationType", .string(operation.rawValue)), ("record", item)]) : item
            }
        } catch let error as ServerError {
            throw ValidationError("Standard input: \(error.reason)")
        }
    }
}
