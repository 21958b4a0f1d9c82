import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Creates the shares of a load, each with its root, and accepts them for the participants.
struct LoadShares: Sendable {
    private static let linksPerRequest = 20
    private static let limit: Duration = .seconds(60)

    /// The owner and the participants.
    let users: LoadUsers
    /// The names of the run.
    let names: LoadNames
    /// The shares and their zones, which must exist.
    let places: LoadPlaces

    /// Creates the shares. Takes a round trip for each share, and for every 20 shares of a participant.
    ///
    /// - Parameter progress: called with a line before each share is created.
    /// - Throws: the failure of a request, of a record or of an acceptance.
    func make(_ progress: (String) -> Void) async throws(RequestFailure) {
        var links: [JSONValue] = []
        for share in 0..<places.shares {
            progress("creating shares: \(share) of \(places.shares)")
            links.append(try await create(share))
        }
        guard !links.isEmpty else { return }
        progress("accepting \(links.count) shares")
        let accepted = await withTaskGroup(of: Result<Void, RequestFailure>.self) { [links] group in
            for participant in users.participants {
                group.addTask {
                    do throws(RequestFailure) {
                        return .success(try await accept(links, by: participant))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in accepted { try result.get() }
    }

    /// Creates the root and the share with the given number.
    ///
    /// - Returns: the identifier in the share's link.
    private func create(_ share: Int) async throws(RequestFailure) -> JSONValue {
        let root: JSONValue = [
            "recordName": .string(names.root(share)), "recordType": .string(LoadBodies.recordType), "fields": [:],
        ]
        let participants = users.participants.map { participant -> JSONValue in
            [
                "userIdentity": ["userRecordName": .string(participant.name)],
                "type": .string(ParticipantRole.user.wireName),
                "permission": .string(SharePermission.readWrite.wireName),
                "acceptanceStatus": .string(AcceptanceStatus.invited.wireName),
            ]
        }
        let record: JSONValue = [
            "recordType": "cloudkit.share", "fields": [:], "forRecord": ["recordName": .string(names.root(share))],
            "participants": .array(participants),
        ]
        let answer = try await users.owner.ask(
            .recordsModify,
            [
                "zoneID": ["zoneName": .string(names.zone(places.zone(of: share)))], "atomic": true,
                "operations": [
                    ["operationType": "create", "record": root], ["operationType": "create", "record": record],
                ],
            ], limit: Self.limit)
        for record in answer["records"]?.array ?? [] {
            if let refusal = RequestFailure.Refusal(record), refusal.code != "ATOMIC_ERROR" { throw .refused(refusal) }
        }
        guard let link = answer["records"]?[1]?["shortGUID"] else {
            throw .unanswered(reason: "the answer to the creation of a share contains no shortGUID")
        }
        return link
    }

    private func accept(
        _ links: [JSONValue], by participant: LoadUsers.Participant
    ) async throws(RequestFailure) {
        for first in stride(from: 0, to: links.count, by: Self.linksPerRequest) {
            let part = links[first..<min(first + Self.linksPerRequest, links.count)]
            let answer = try await participant.accepting.ask(
                .recordsAccept, ["shortGUIDs": .array(part.map { ["value": $0] })], limit: Self.limit)
            let results = answer["results"]?.array ?? []
            for result in results { if let refusal = RequestFailure.Refusal(result) { throw .refused(refusal) } }
            guard results.count == part.count else {
                throw .unanswered(reason: "the answer to records.accept does not contain all shares")
            }
        }
    }
}
