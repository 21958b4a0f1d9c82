import CloudKitWire
import ServiceMessages

/// Invalid requests about shares, participants and links.
extension SharingScenario {
    /// An operation that makes a share of `list` with these participants.
    private static func share(with participants: JSONValue...) -> JSONValue {
        .share("create", "S", of: "list", participants: participants)
    }

    @SharingBuilder<SharingScenario> static var refusals: [SharingScenario] {
        rule("A record of another user is not the root of a share: 12") {
            owner(.note("create", "list"))
            asks(
                .guest, .zonesModify, in: "private",
                ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "@zone"]]]]])
            asks(
                .guest, .recordsModify, in: "private",
                ["zoneID": ["zoneName": "@zone"], "operations": [.share("create", "S", of: "list")], "atomic": false],
                refused: [.rootMissing])
            asks(
                .guest, .recordsModify, in: "private",
                [
                    "zoneID": ["zoneName": "@zone", "ownerRecordName": "@owner"],
                    "operations": [.share("create", "S", of: "list")],
                ], refused: [.zoneOfAnotherUser])
        }
        rule("Ten thousand participants are refused with 29") {
            owner(.note("create", "list"))
            owner(
                .share(
                    "create", "S", of: "list", participants: (0..<10_000).map { .email("friend-\($0)@example.org") }),
                refused: [.tooManyParticipants])
            reads(.owner, "S", refused: [.recordUnknown])
        }
        rule("A title of two megabytes is refused with 27") {
            owner(.note("create", "list"))
            owner(
                .share(
                    "create", "S", of: "list",
                    [.init("fields", ["cloudkit.title": ["value": .string(String(repeating: "x", count: 2 << 20))]])]),
                refused: [.recordTooLarge])
            reads(.owner, "S", refused: [.recordUnknown])
        }
        rule("Repeated invitations are refused with 12") {
            owner(.note("create", "list"))
            owner(share(with: .user(.guest), .user(.guest)), refused: [.participantInvalid])
            owner(
                share(with: .email("ada@example.org"), .email("ADA@example.org")), refused: [.participantInvalid])
        }
        rule("Malformed invitations are refused with 12") {
            owner(.note("create", "list"))
            owner(share(with: [:]), refused: [.participantInvalid])
            owner(share(with: ["userIdentity": [:]]), refused: [.participantInvalid])
            owner(share(with: .email("")), refused: [.participantInvalid])
            owner(share(with: .email("ada")), refused: [.participantInvalid])
            owner(share(with: .email("ada lovelace@example.org")), refused: [.participantInvalid])
            owner(
                share(with: .email(String(repeating: "a", count: 300) + "@example.org")), refused: [.participantInvalid]
            )
            owner(share(with: ["userIdentity": ["userRecordName": "ada"]]), refused: [.userNameInvalid])
            owner(share(with: ["participantId": "7.7"]), refused: [.participantInvalid])
            owner(share(with: "ada"), refused: [.wrongKind])
        }
        rule("An invitation of oneself is refused with 12") {
            owner(.note("create", "list"))
            owner(share(with: .user(.owner)), refused: [.participantInvalid])
        }
        rule("The keys of shares are refused in other records: 12") {
            owner(
                [
                    "operationType": "create",
                    "record": ["recordName": "a", "recordType": "Note", "publicPermission": "READ_ONLY"],
                ], refused: [.shareFieldInvalid])
            owner(
                ["operationType": "create", "record": ["recordName": "a", "recordType": "Note", "participants": []]],
                refused: [.shareFieldInvalid])
        }
        rule("Requests with too many, missing or very long links are refused or find nothing") {
            asks(.guest, .recordsResolve, in: "public", refused: [.keyMissing])
            asks(.guest, .recordsAccept, in: "public", ["shortGUIDs": [[:]]], refused: [.keyMissing])
            asks(.guest, .recordsResolve, in: "public", ["shortGUIDs": 1], refused: [.wrongKind])
            asks(
                .guest, .recordsResolve, in: "public",
                ["shortGUIDs": .array((0...100).map { .shortGUID("link-\($0)") })], refused: [.limitExceeded])
            resolves(.guest, .shortGUID((0..<50_000).map(String.init).joined()), refused: [.linkUnknown])
        }
    }
}
