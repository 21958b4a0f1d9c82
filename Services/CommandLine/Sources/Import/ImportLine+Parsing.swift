import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

extension ImportLine {
    /// The content of a line.
    enum Content {
        /// An operation on a record.
        case record(ImportLine)
        /// `{"operationType":"create","zone":{"zoneID":…}}`: an operation of `zones/modify` that creates a zone.
        case zone(String)
    }

    private static let forms = #"""
        {"operationType":"forceReplace","record":{…}} or {"operationType":"create","zone":{"zoneID":{…}}}
        """#

    /// Parses a line.
    ///
    /// - Parameter zone: the zone of the record, which overrides the zone in the line; nil to use the zone in the line.
    /// - Throws: `.refused` if the line is not an operation, or if it has no zone and `zone` is nil.
    static func content(of bytes: [UInt8], number: Int, zone: String?) throws(RequestFailure) -> Content {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw .refused(RequestFailure.Refusal(code: error.code.rawValue, reason: error.reason))
        }
        guard let kind = json["operationType"]?.string else { throw malformed("a line must be an operation: \(forms)") }
        if let name = json["zone"]?["zoneID"]?["zoneName"]?.string {
            guard kind == "create" else { throw malformed("the only operation on zones is create: \(forms)") }
            return .zone(name)
        }
        guard json["record"]?.members != nil else { throw malformed("a line must be an operation: \(forms)") }
        guard let zone = zone ?? json["zoneID"]?["zoneName"]?.string else {
            throw malformed("the line has no zoneID: add it, or specify --zone")
        }
        return .record(
            ImportLine(
                number: number, bytes: bytes, zone: zone, recordName: json["record"]?["recordName"]?.string,
                isDelete: RecordOperation.Kind(rawValue: kind)?.isDelete == true, assets: json.unprovenAssets))
    }

    private static func malformed(_ reason: String) -> RequestFailure {
        .refused(RequestFailure.Refusal(code: "BAD_REQUEST", reason: reason))
    }
}
