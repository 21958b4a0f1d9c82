import ArgumentParser
import CloudKitWire
import CommandLineSession

/// Prints records, tombstones, and the errors of individual records.
struct RecordPrinter: Sendable {
    /// The options, which determine whether records are printed as text or as JSON.
    let global: GlobalOptions

    /// Prints all of `records`.
    ///
    /// - Throws: `ExitCode.failure` if any of them is an error.
    func show(_ records: [JSONValue]) throws {
        var isGood = true
        for record in records { isGood = show(record) && isGood }
        guard isGood else { throw ExitCode.failure }
    }

    /// Prints one record. Returns false if it is an error.
    func show(_ record: JSONValue) -> Bool { global.show(record, line: Self.describe) }

    /// Returns a record as text: `shopping  Note  tag mk3q2bbb  2026-01-15T18:00:00Z`, followed by one line for each
    /// field.
    static func describe(_ record: JSONValue) -> String {
        let name = record["recordName"]?.string ?? ""
        if record["deleted"]?.bool == true { return "\(name)  deleted" }
        var head = [name]
        if let type = record["recordType"]?.string { head.append(type) }
        if let tag = record["recordChangeTag"]?.string { head.append("tag \(tag)") }
        if let modified = record["modified"]?["timestamp"]?.int { head.append(Moment.text(modified)) }
        var table = TextTable()
        for field in record["fields"]?.members ?? [] {
            let type = field.value["type"]?.string
            table.add("  \(field.key)", type ?? "", describe(field.value["value"] ?? .null, type: type))
        }
        return ([head.joined(separator: "  ")] + table.lines).joined(separator: "\n")
    }

    /// Returns the text of a field's value, with times in ISO 8601 and lists in brackets.
    static func describe(_ value: JSONValue, type: String?) -> String {
        switch value {
        case .string(let text): return text
        case .int(let number): return type == "TIMESTAMP" ? Moment.text(number) : String(number)
        case .array(let elements):
            return "["
                + elements.map { describe($0, type: type?.replacing("_LIST", with: "")) }
                .joined(separator: ", ") + "]"
        default: return value.text
        }
    }
}
