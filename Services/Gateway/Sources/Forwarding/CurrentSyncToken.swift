internal import CloudKitModel
internal import CloudKitWire
internal import ServiceMessages

/// `getCurrentSyncToken=true`, by which Apple's web apps ask for the zone's `syncToken` beside the records of a query,
/// lookup or modification (web-services 1.2).
///
/// The zone is asked for its token before the records are: so a walk of changes from it repeats some, and skips none.
enum CurrentSyncToken {
    /// Whether a request asks for it, and may.
    static func isWanted(by request: GatewayRequest, _ endpoint: Endpoint) -> Bool {
        guard request.query["getCurrentSyncToken"] == "true" else { return false }
        return [.recordsQuery, .recordsLookup, .recordsModify].contains(endpoint)
    }

    /// The body of `zones.lookup` for the zone of a request; nil when the request has no one zone, or is none.
    static func question(about body: [UInt8]) -> [UInt8]? {
        guard let zone = (try? JSONValue(member: "zoneID", of: body)) ?? nil, zone["zoneName"]?.string != nil else {
            return nil
        }
        let question: JSONValue = ["zones": .array([zone])]
        return question.encoded()
    }

    /// The token in the answer to ``question(about:)``; nil when the zone is not there, or counts no changes.
    static func token(in answer: GatewayAnswer) -> String? {
        guard answer.status == 200, let json = try? JSONValue(parsing: answer.body) else { return nil }
        let token = json["zones"]?.array?.first?["syncToken"]?.string
        // Base64: nothing in it needs an escape.
        return token.flatMap { $0.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) ? nil : $0 }
    }

    /// Puts the token in front of what else an answer has.
    static func add(_ token: String, to answer: inout GatewayAnswer) {
        guard answer.status == 200, answer.body.first == UInt8(ascii: "{") else { return }
        let rest = answer.body.dropFirst()
        let separator = rest.first == UInt8(ascii: "}") ? "" : ","
        answer.body = Array("{\"syncToken\":\"\(token)\"\(separator)".utf8) + rest
    }
}
