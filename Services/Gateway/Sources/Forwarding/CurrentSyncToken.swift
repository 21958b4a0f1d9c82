internal import CloudKitModel
internal import CloudKitWire
internal import ServiceMessages

/// The `getCurrentSyncToken=true` parameter. Apple's web apps send it to receive the zone's `syncToken` together with
/// the records of a query, look-up or modification (web-services 1.2).
///
/// The token is read before the records. Changes fetched with the token can therefore repeat some of these records, but
/// do not omit any.
enum CurrentSyncToken {
    /// Returns whether a request asks for the token and is sent to an endpoint that supports it.
    static func isWanted(by request: GatewayRequest, _ endpoint: Endpoint) -> Bool {
        guard request.query["getCurrentSyncToken"] == "true" else { return false }
        return [.recordsQuery, .recordsLookup, .recordsModify].contains(endpoint)
    }

    /// Returns the body of `zones.lookup` for the zone of a request; nil if the request names no zone or is malformed.
    static func question(about body: [UInt8]) -> [UInt8]? {
        guard let zone = (try? JSONValue(member: "zoneID", of: body)) ?? nil, zone["zoneName"]?.string != nil else {
            return nil
        }
        let question: JSONValue = ["zones": .array([zone])]
        return question.encoded()
    }

    /// Returns the token in the answer to ``question(about:)``; nil if the zone does not exist or has no change tokens.
    static func token(in answer: GatewayAnswer) -> String? {
        guard answer.status == 200, let json = try? JSONValue(parsing: answer.body) else { return nil }
        let token = json["zones"]?.array?.first?["syncToken"]?.string
        // The token is base64, so nothing in it needs escaping.
        return token.flatMap { $0.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) ? nil : $0 }
    }

    /// Inserts the token before the other members of an answer.
    static func add(_ token: String, to answer: inout GatewayAnswer) {
        guard answer.status == 200, answer.body.first == UInt8(ascii: "{") else { return }
        let rest = answer.body.dropFirst()
        let separator = rest.first == UInt8(ascii: "}") ? "" : ","
        answer.body = Array("{\"syncToken\":\"\(token)\"\(separator)".utf8) + rest
    }
}
