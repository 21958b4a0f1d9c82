import CloudKitWire
import ServiceMessages

/// The life of a share: its participants, and how it ends (semantics 11.2 and 11.3).
extension SharingScenario {
    private static func made(_ participants: JSONValue..., permission: String? = nil) -> SharingStep {
        owner(
            .note("create", "list"),
            .share("create", "S", of: "list", permission: permission, participants: participants))
    }

    /// The user names of the participants in a record that was looked up.
    private static let users = "records/0/participants/*/userIdentity/userRecordName"

    @SharingBuilder<SharingScenario> static var life: [SharingScenario] {
        rule("A new participant is an invited USER who may read") {
            made(["userIdentity": ["userRecordName": "@guest"]])
                .showing("records/1/participants/*/type", ["OWNER", "USER"])
                .showing("records/1/participants/*/permission", ["READ_WRITE", "READ_ONLY"])
                .showing("records/1/participants/*/acceptanceStatus", ["ACCEPTED", "INVITED"])
        }
        rule("Unknown roles and permissions are refused with 12") {
            owner(.note("create", "list"))
            owner(
                .share("create", "S", of: "list", participants: [.user(.guest, type: "BOSS")]),
                refused: [.shareFieldInvalid])
            owner(
                .share("create", "S", of: "list", participants: [.user(.guest, "EVERYTHING")]),
                refused: [.shareFieldInvalid])
            owner(.share("create", "S", of: "list", permission: "SOME"), refused: [.shareFieldInvalid])
        }
        rule("A share has one owner, who is not invited: 12") {
            owner(.note("create", "list"))
            owner(
                .share("create", "S", of: "list", participants: [.user(.owner)]), refused: [.participantInvalid])
            owner(
                .share("create", "S", of: "list", participants: [.user(.guest, type: "OWNER")]),
                refused: [.participantInvalid])
        }
        rule("Making a share public ends pending invitations, and participants stay") {
            made(.user(.guest), .user(.friend))
            accepts(.guest, .shortGUID("@link:S"))
            owner(.share("update", "S", tagged: true, permission: "READ_ONLY"))
                .showing(users, ["@owner", "@guest"])
            saves(.guest, .note("update", "list", 2))
            resolves(.friend, .shortGUID("@link:S")).showing("results/0/participantType", "PUBLIC_USER")
        }
        rule("Making a share private ends the access of public users, and participants stay") {
            made(.user(.guest))
            accepts(.guest, .shortGUID("@link:S"))
            owner(.share("update", "S", tagged: true, permission: "READ_ONLY"))
            accepts(.friend, .shortGUID("@link:S")).keeping("link", "results/0/shortGUID/value")
            reads(.friend, "list")
            owner(.share("update", "S", tagged: true, permission: "NONE")).showing(users, ["@owner", "@guest"])
            reads(.friend, "list", refused: [.zoneUnknown])
            accepts(.friend, .shortGUID("@link"), refused: [.linkUnknown])
            reads(.guest, "list")
        }
        rule("The 101st participant is refused with 29, and public users do not count") {
            owner(.note("create", "list"), .note("create", "other"))
            owner(
                .share(
                    "create", "S", of: "list", participants: (0...100).map { .email("friend-\($0)@example.org") }),
                refused: [.tooManyParticipants])
            owner(
                .share(
                    "create", "S", of: "list", participants: (0..<100).map { .email("friend-\($0)@example.org") }))
            owner(.share("create", "T", of: "other", permission: "READ_ONLY"))
            accepts(.friend, .shortGUID("@link:T"))
            let invited = (0..<100).map { JSONValue.email("friend-\($0)@example.org") }
            owner(.share("update", "T", tagged: true, participants: invited + [.user(.friend)]))
            accepts(.stranger, .shortGUID("@link:T"))
            reads(.stranger, "other")
            owner(
                .share(
                    "update", "T", tagged: true,
                    participants: invited + [.email("one-more@example.org"), .user(.friend), .user(.stranger)]),
                refused: [.tooManyParticipants])
            reads(.friend, "other")
        }
        rule("The list is complete: who is listed is updated, and who is missing is removed") {
            made(.user(.guest), .user(.friend))
            accepts(.guest, .shortGUID("@link:S"))
            owner(
                .share("update", "S", tagged: true, participants: [.user(.guest, "READ_ONLY"), .user(.stranger)])
            ).showing(users, ["@owner", "@guest", "@stranger"])
            saves(.guest, .note("update", "list", 2), refused: [.accessDenied])
            reads(.guest, "list")
            resolves(.friend, .shortGUID("@link:S"), refused: [.linkUnknown])
        }
        rule("A concurrent edit of the participants is refused with 14") {
            made(.user(.guest)).keeping("tag", "records/1/recordChangeTag")
            owner(.share("update", "S", tagged: true, participants: [.user(.guest), .user(.friend)]))
            owner(
                .share("update", "S", participants: [], [.init("recordChangeTag", "@tag")]), refused: [.tagStale]
            ).showing("records/0/serverRecord/recordName", "S")
            reads(.owner, "S").showing(users, ["@owner", "@guest", "@friend"])
        }
        ruleOfShared("A participant leaves by deleting the share, and the other participants stay") {
            walks(.guest).keeping("token", "zones/0/syncToken")
            saves(.guest, .deletion("S")).showing("records/0/deleted", true)
            reads(.guest, "list", refused: [.zoneUnknown])
            reads(.reader, "list", "S")
            walks(.guest, since: "@token", refused: [.zoneUnknown])
            reads(.owner, "S", "list").showing(users, ["@owner", "@reader"])
        }
        ruleOfShared("A participant leaves all shares of a zone by deleting the zone, and the owner keeps it") {
            owner(.note("create", "box"), .share("create", "B", of: "box", participants: [.user(.guest)]))
            accepts(.guest, .shortGUID("@link:B"))
            deletesZone(.guest).showing("zones/0/deleted", true)
            reads(.guest, "box", refused: [.zoneUnknown])
            reads(.owner, "list", "item", "diary", "box", "S", "B")
            deletesZone(.guest, refused: [.zoneUnknown])
        }
        ruleOfShared("The owner's deletion of the share ends it for all and deletes no record") {
            owner(.deletion("S"))
            reads(.guest, "list", refused: [.zoneUnknown])
            reads(.reader, "list", refused: [.zoneUnknown])
            reads(.owner, "list", "item", "diary", "S", refused: [nil, nil, nil, .recordUnknown])
        }
        ruleOfShared("A lost zone is listed as deleted, and a gained one as changed") {
            asks(.guest, .changesDatabase, in: "shared").keeping("token", "syncToken")
                .showing("zones/*/zoneID/ownerRecordName", ["@owner"])
            owner(.share("update", "S", tagged: true, participants: [.user(.reader)]))
            asks(.guest, .changesDatabase, in: "shared", ["syncToken": "@token"]).keeping("token", "syncToken")
                .showing("zones/0/deleted", true)
            owner(.note("update", "item", 8))
            asks(.guest, .changesDatabase, in: "shared", ["syncToken": "@token"]).showing("zones", [])
        }
        rule("Lists contain the owner and the caller, and addresses are shown to the owner only") {
            made(.user(.guest), .email("@reader.email"), .user(.friend))
            resolves(.friend, .shortGUID("@link:S"))
                .showing(
                    "results/0/share/participants/*/userIdentity/userRecordName", ["@owner", "@friend"]
                ).lacking("@reader.email")
            accepts(.reader, .shortGUID("@link:S"))
            accepts(.guest, .shortGUID("@link:S"))
            reads(.guest, "S").lacking("@reader.email").showing(users, ["@owner", "@guest", "@reader", "@friend"])
            reads(.owner, "S").showing("records/0/participants/2/userIdentity/lookupInfo/emailAddress", "@reader.email")
        }
        rule("Public users see no other participants") {
            made(permission: "READ_ONLY")
            accepts(.guest, .shortGUID("@link:S"))
            accepts(.friend, .shortGUID("@link:S"))
            reads(.guest, "S").showing(users, ["@owner", "@guest"])
            reads(.friend, "S").showing(users, ["@owner", "@friend"])
            reads(.owner, "S").showing(users, ["@owner", "@guest", "@friend"])
        }
    }
}
