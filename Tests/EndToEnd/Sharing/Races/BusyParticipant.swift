import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

/// A participant who saves, uploads and pages without a pause while access comes and goes.
struct BusyParticipant: Sendable {
    /// The errors that a user without access receives: the zone does not exist, or the access is denied.
    private static let noAccess: Set<Int64> = [26, 10]
    /// The additional errors of a save: access was given while the service looked for it, or the parent belongs to an
    /// earlier share.
    private static let ofSaves: Set<Int64> = [23, 31]
    /// The additional error of a feed: the token is expired.
    private static let expiredToken: Int64 = 21
    /// The prefix of the names of the records that are not shared.
    static let hiddenPrefix = "hidden-"

    let zone: RaceZone
    let client: TestClient
    let watch: AccessWatch

    /// Acts until the race ends.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await save() }
            group.addTask { try await upload() }
            group.addTask { try await page() }
            group.addTask { try await lookUp() }
            try await group.waitForAll()
        }
    }

    private func save() async throws {
        var number = 0
        while !watch.hasEnded {
            number += 1
            try await save("saved-\(number)", ["n": ["value": .int(Int64(number))]], as: "save")
        }
    }

    private func save(_ name: String, _ fields: JSONValue, as act: String) async throws {
        let start = watch.moment
        let reply = try await zone.modify(
            as: client, RaceZone.operation("create", name, below: start.root, fields: fields))
        let result = reply["records"]?[0] ?? reply.body
        if result.errorCode == nil, result["recordName"] != nil {
            watch.succeeded(act, since: start, saved: name)
        } else {
            watch.refused(
                act, result["ckErrorCode"]?.int, result.text, since: start, allowed: Self.noAccess.union(Self.ofSaves))
        }
    }

    /// Uploads over HTTP, and saves the receipt in a new record.
    private func upload() async throws {
        var number = 0
        while !watch.hasEnded {
            number += 1
            let begin = watch.moment
            let tokens = try await client.ask(
                .assetsUpload, ["tokens": [["recordType": "Note", "fieldName": "file"]], "zoneID": zone.id])
            guard let url = tokens["tokens"]?[0]?["url"]?.string else {
                watch.refused(
                    "address", tokens["ckErrorCode"]?.int, tokens.body.text, since: begin, allowed: Self.noAccess)
                continue
            }
            watch.succeeded("address", since: begin)
            let start = watch.moment
            let response = try await AssetClient.upload(randomBytes(2000), to: url)
            guard let file = response.json["singleFile"] else {
                watch.refused(
                    "upload", response.json["ckErrorCode"]?.int, response.json.text, since: start,
                    allowed: Self.noAccess)
                continue
            }
            watch.succeeded("upload", since: start)
            try await save("file-\(number)", ["file": ["value": file]], as: "save of an upload")
        }
    }

    /// Reads the feed in small pages. A token is used even after an interruption of access.
    private func page() async throws {
        var token: JSONValue?
        while !watch.hasEnded {
            var entry: [JSONValue.Member] = [.init("zoneID", zone.id), .init("resultsLimit", 20)]
            if let token { entry.append(.init("syncToken", token)) }
            let start = watch.moment
            let reply = try await client.ask(.changesZone, ["zones": [.object(entry)]], within: .seconds(60))
            let page = reply["zones"]?[0] ?? reply.body
            guard let next = page["syncToken"] else {
                let code = page["ckErrorCode"]?.int
                watch.refused("page", code, page.text, since: start, allowed: Self.noAccess.union([Self.expiredToken]))
                if code == Self.expiredToken { token = nil }
                continue
            }
            watch.succeeded("page", since: start)
            token = next
            for name in page.recordNames where name.hasPrefix(Self.hiddenPrefix) { watch.fault("a page shows \(name)") }
        }
    }

    private func lookUp() async throws {
        let names = [Self.hiddenPrefix + "1", "never"]
        while !watch.hasEnded {
            let start = watch.moment
            let asked = ([start.root] + names).map { name -> JSONValue in ["recordName": .string(name)] }
            let reply = try await client.ask(.recordsLookup, ["zoneID": zone.id, "records": .array(asked)])
            guard let records = reply["records"]?.array else {
                watch.refused(
                    "look-up", reply["ckErrorCode"]?.int, reply.body.text, since: start, allowed: Self.noAccess)
                continue
            }
            if records.first?.errorCode == nil { watch.succeeded("look-up", since: start) }
            for record in records.dropFirst() where record["ckErrorCode"] != 11 {
                watch.fault("a look-up shows \(record.text)")
            }
        }
    }
}
