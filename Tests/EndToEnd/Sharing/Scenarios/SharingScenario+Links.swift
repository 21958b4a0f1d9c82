import CloudKitWire
import ServiceMessages

/// The links of shares, which users resolve and accept (semantics 11.3).
extension SharingScenario {
    private static let unknown: JSONValue = ["value": "xxxxxxxxxxxxxxxxxxxxxxxx"]
    private static let rooted: JSONValue = [
        "value": "@link:S", "shouldFetchRootRecord": true, "rootRecordDesiredKeys": ["n"],
    ]

    /// The owner shares `list` with the participants.
    private static func sharing(with participants: JSONValue..., permission: String? = nil) -> SharingStep {
        owner(
            .note("create", "list", fields: ["n": ["value": 1], "secret": ["value": "hush"]]),
            .share(
                "create", "S", of: "list", permission: permission, participants: participants,
                [.init("fields", ["cloudkit.title": ["value": "Trip"]])]))
    }

    @SharingBuilder<SharingScenario> static var links: [SharingScenario] {
        rule("The owner resolves a link in the private database") {
            sharing(with: .user(.guest))
            resolves(.owner, .shortGUID("@link:S")).showing("results/0/databaseScope", "PRIVATE")
                .showing("results/0/participantType", "OWNER").showing("results/0/participantStatus", "ACCEPTED")
                .showing("results/0/participantPermission", "READ_WRITE").showing("results/0/potentialMatchList", [])
            accepts(.owner, .shortGUID("@link:S")).showing("results/0/databaseScope", "PRIVATE")
        }
        rule("An invited user resolves a link, with the root before the acceptance") {
            sharing(with: .user(.guest, "READ_ONLY"))
            resolves(.guest, rooted).showing("results/0/shortGUID", rooted)
                .showing("results/0/environment", "development").showing("results/0/databaseScope", "SHARED")
                .showing("results/0/zoneID/zoneName", "@zone").showing("results/0/zoneID/ownerRecordName", "@owner")
                .showing("results/0/share/recordName", "S")
                .showing("results/0/share/fields/cloudkit.title/value", "Trip")
                .showing("results/0/share/currentUserParticipant/acceptanceStatus", "INVITED")
                .showing("results/0/rootRecordName", "list").showing("results/0/rootRecord/fields/n/value", 1)
                .showing("results/0/ownerIdentity/userRecordName", "@owner")
                .showing("results/0/participantType", "USER").showing("results/0/participantStatus", "INVITED")
                .showing("results/0/participantPermission", "READ_ONLY").lacking("hush")
            resolves(.guest, .shortGUID("@link:S")).showing("results/0/rootRecord", .null)
        }
        rule("A participant resolves a link after the acceptance") {
            sharing(with: .user(.guest))
            accepts(.guest, .shortGUID("@link:S")).showing("results/0/databaseScope", "SHARED")
                .showing("results/0/participantStatus", "ACCEPTED")
                .showing("results/0/share/currentUserParticipant/acceptanceStatus", "ACCEPTED")
            resolves(.guest, rooted).showing("results/0/participantStatus", "ACCEPTED")
                .showing("results/0/rootRecord/fields/n/value", 1)
        }
        rule("Everyone who has the link of a public share joins as PUBLIC_USER") {
            sharing(permission: "READ_ONLY")
            resolves(.friend, rooted).showing("results/0/participantType", "PUBLIC_USER")
                .showing("results/0/participantStatus", "INVITED")
                .showing("results/0/participantPermission", "READ_ONLY")
            accepts(.friend, .shortGUID("@link:S")).showing("results/0/participantType", "PUBLIC_USER")
                .showing("results/0/participantStatus", "ACCEPTED")
            reads(.friend, "list")
        }
        rule("Each link has its own outcome") {
            sharing(with: .user(.guest))
            owner(.note("create", "box"), .share("create", "B", of: "box"))
            accepts(
                .guest, .shortGUID("@link:B"), .shortGUID("@link:S"), unknown, .shortGUID("@link:S"),
                refused: [.linkUnknown, nil, .linkUnknown, nil])
        }
        rule("Unknown links, links of ended shares, and links that are not for the user are one answer: 11") {
            sharing(with: .user(.guest))
            resolves(
                .stranger, .shortGUID("@link:S"), unknown, .shortGUID("not a link"), .shortGUID(""),
                refused: [.linkUnknown, .linkUnknown, .linkUnknown, .linkUnknown])
            accepts(.stranger, .shortGUID("@link:S"), unknown, refused: [.linkUnknown, .linkUnknown])
            resolves(.guest, .shortGUID("@link:S")).keeping("link", "results/0/shortGUID/value")
            owner(.deletion("S"))
            resolves(.guest, .shortGUID("@link"), refused: [.linkUnknown])
            accepts(.guest, .shortGUID("@link"), refused: [.linkUnknown])
            resolves(.owner, .shortGUID("@link"), refused: [.linkUnknown])
        }
        rule("Accepting is executed once per message id, and does not end a removal") {
            sharing(with: .user(.guest))
            accepts(.guest, .shortGUID("@link:S")).with(messageID: "m").keeping("link", "results/0/shortGUID/value")
            reads(.owner, "S").keeping("tag", "records/0/recordChangeTag")
            accepts(.guest, .shortGUID("@link")).with(messageID: "m")
            accepts(.guest, .shortGUID("@link"))
            reads(.owner, "S").showing("records/0/recordChangeTag", "@tag")
            owner(.share("update", "S", tagged: true, participants: []))
            accepts(.guest, .shortGUID("@link"), refused: [.linkUnknown]).with(messageID: "m")
            accepts(.guest, .shortGUID("@link"), refused: [.linkUnknown])
            reads(.guest, "list", refused: [.zoneUnknown])
        }
        rule("A link stays the root's own when the root is shared again") {
            sharing(with: .user(.guest))
            reads(.owner, "list").keeping("link", "records/0/shortGUID")
            owner(.deletion("S"))
            resolves(.guest, .shortGUID("@link"), refused: [.linkUnknown])
            owner(.share("create", "T", of: "list", participants: [.user(.guest)]))
                .showing("records/0/shortGUID", "@link")
            resolves(.guest, .shortGUID("@link")).showing("results/0/share/recordName", "T")
        }
        rule("A replaced link is unknown, and participants keep their access") {
            sharing(with: .user(.guest))
            accepts(.guest, .shortGUID("@link:S")).keeping("link", "results/0/shortGUID/value")
            owner(.share("update", "S", tagged: true, [.init("replaceShortGUID", true)]))
                .differing("records/0/shortGUID", "@link")
            resolves(.guest, .shortGUID("@link"), .shortGUID("@link:S"), refused: [.linkUnknown, nil])
            reads(.guest, "list")
        }
        rule("Only the user with the verified address can open an invitation by email: 33") {
            sharing(with: .email("@guest.email"))
            resolves(.stranger, .shortGUID("@link:S"), refused: [.notVerified]).lacking("@guest.email").lacking("Trip")
            accepts(.stranger, .shortGUID("@link:S"), refused: [.notVerified]).lacking("@guest.email")
            resolves(.guest, .shortGUID("@link:S")).showing("results/0/participantStatus", "INVITED")
                .showing("results/0/potentialMatchList/0/contactInformation/emailAddress", "@guest.email")
            accepts(.guest, .shortGUID("@link:S")).showing("results/0/participantStatus", "ACCEPTED")
                .keeping("link", "results/0/shortGUID/value")
            reads(.guest, "list")
            accepts(.stranger, .shortGUID("@link"), refused: [.linkUnknown])
        }
        rule("An invitation names a user or an address, whether or not an account exists") {
            owner(
                .note("create", "list"),
                .share(
                    "create", "S", of: "list",
                    participants: [
                        .email("nobody@example.org"),
                        ["userIdentity": ["userRecordName": "_00000000000000000000000000000000"]],
                    ])
            ).showing("records/1/participants/*/acceptanceStatus", ["ACCEPTED", "INVITED", "INVITED"])
        }
        rule("Access to a share that allows no requests for access is requested in vain: 11") {
            sharing(with: .user(.guest))
            asks(
                .stranger, .sharesRequestAccess, in: "public", ["shortGUIDs": [.shortGUID("@link:S"), unknown]],
                refused: [.linkUnknown, .linkUnknown])
        }
        rule("Callers who have not signed in resolve and accept nothing: 9") {
            sharing(permission: "READ_WRITE")
            resolves(.nobody, .shortGUID("@link:S"), refused: [.notSignedIn])
            accepts(.nobody, .shortGUID("@link:S"), unknown, refused: [.notSignedIn])
        }
    }
}
