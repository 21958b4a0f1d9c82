import CloudKitWire

/// What participants may write (semantics 11.4).
extension SharingScenario {
    @SharingBuilder<SharingScenario> static var rights: [SharingScenario] {
        ruleOfShared("READ_WRITE permits to change, delete and create what is shared, in the owner's zone") {
            saves(
                .guest, .note("update", "item", 5), .note("create", "new", below: "list"),
                .note("create", "newer", below: "new")
            )
            .showing("records/1/zoneID/ownerRecordName", "@owner")
            .showing("records/1/created/userRecordName", "@guest")
            saves(.guest, .deletion("newer"))
            reads(.owner, "item", "new", "newer", refused: [nil, nil, .recordUnknown])
                .showing("records/0/fields/n/value", 5)
        }
        ruleOfShared("The owner may do everything with the records of participants") {
            saves(.guest, .note("create", "new", below: "list"))
            owner(.note("update", "new", 7))
            owner(.deletion("new"))
        }
        ruleOfShared("A participant's new record needs a parent in the share: 10") {
            saves(
                .guest, .note("create", "a"), .note("forceUpdate", "b"), .note("forceReplace", "c"),
                refused: [.accessDenied, .accessDenied, .accessDenied])
            reads(.owner, "a", "b", "c", refused: [.recordUnknown, .recordUnknown, .recordUnknown])
        }
        ruleOfShared("A participant does not delete the root: 10") {
            saves(.guest, .deletion("list"), refused: [.accessDenied])
            reads(.owner, "list", "S")
        }
        ruleOfShared("A participant does not take a record out of its share: 10") {
            owner(
                .note("create", "box"), .share("create", "B", of: "box", participants: [.user(.guest)]))
            accepts(.guest, .shortGUID("@link:B"))
            saves(.guest, .note("update", "item", below: .null), refused: [.accessDenied])
            saves(.guest, .note("update", "item", below: "box"), refused: [.accessDenied])
            saves(.guest, .note("update", "list", below: "box"), refused: [.accessDenied])
            reads(.owner, "item").showing("records/0/parent/recordName", "list")
        }
        ruleOfShared("A participant does not share, and does not change the share: 10") {
            saves(
                .guest, .share("create", "T", of: "item"),
                .share("update", "S", tagged: true, permission: "READ_WRITE"),
                refused: [.accessDenied, .accessDenied])
            saves(
                .guest, .share("update", "S", tagged: true, participants: [.user(.guest), .user(.stranger)]),
                refused: [.accessDenied])
            saves(
                .guest,
                [
                    "operationType": "update",
                    "record": ["recordName": "item", "recordType": "Note", "createShortGUID": true],
                ], refused: [.accessDenied])
            reads(.owner, "S").showing("records/0/publicPermission", "NONE")
                .showing("records/0/participants/*/userIdentity/userRecordName", ["@owner", "@guest", "@reader"])
        }
        ruleOfShared("READ_ONLY permits no write: 10") {
            saves(
                .reader, .note("update", "item", 9), .deletion("list"), .note("create", "new", below: "list"),
                refused: [.accessDenied, .accessDenied, .accessDenied]
            ).lacking("serverRecord")
            reads(.owner, "item", "new", refused: [nil, .recordUnknown]).showing("records/0/fields/n/value", 2)
        }
        ruleOfShared("A hidden record does not exist for a participant: 11, and its name cannot be used: 10") {
            saves(.guest, .note("update", "diary"), refused: [.recordUnknown])
            saves(.guest, .note("update", "never"), refused: [.recordUnknown])
            saves(.guest, .note("create", "diary", below: "list"), refused: [.accessDenied]).lacking("serverRecord")
            saves(.guest, .note("forceReplace", "diary", 9, below: "list"), refused: [.accessDenied])
            saves(.guest, .deletion("diary"))
            reads(.owner, "diary").showing("records/0/fields/n/value", 0)
        }
        ruleOfShared("A participant's reference needs a target that the participant sees: 31") {
            saves(
                .guest, .note("update", "item", fields: .reference("diary", "VALIDATE")), refused: [.targetMissing])
            saves(
                .guest, .note("update", "item", fields: .reference("never", "VALIDATE")), refused: [.targetMissing])
            saves(.guest, .note("create", "new", below: "diary"), refused: [.targetMissing])
            saves(.guest, .note("update", "item", fields: .reference("list", "VALIDATE")))
        }
        ruleOfShared("A deletion that would delete what the participant may not delete fails as a whole: 10") {
            owner(
                .note("create", "tied", fields: .reference("item", "DELETE_SELF")),
                .note("create", "new", fields: .reference("item", "DELETE_SELF"), below: "list"))
            saves(.guest, .deletion("item"), refused: [.accessDenied])
            reads(.owner, "item", "tied", "new")
        }
        ruleOfShared("A deletion of a record to which a hidden record refers with VALIDATE is refused with 10") {
            owner(.note("create", "tied", fields: .reference("item", "VALIDATE")))
            saves(.guest, .deletion("item"), refused: [.accessDenied])
            reads(.owner, "item")
        }
        ruleOfShared("A conflict shows the stored record only to those who see it") {
            saves(
                .guest,
                [
                    "operationType": "update",
                    "record": [
                        "recordName": "item", "recordType": "Note", "recordChangeTag": "zz", "fields": [:],
                    ],
                ], refused: [.tagStale]
            ).showing("records/0/serverRecord/fields/n/value", 2)
            saves(
                .guest,
                [
                    "operationType": "update",
                    "record": [
                        "recordName": "diary", "recordType": "Note", "recordChangeTag": "zz", "fields": [:],
                    ],
                ], refused: [.recordUnknown]
            ).lacking("serverRecord")
        }
        ruleOfShared("A repeat of a request after the removal finds no zone: 26") {
            saves(.guest, .note("update", "item", 987654)).with(messageID: "m")
            saves(.guest, .note("update", "item", 987654)).with(messageID: "m").showing(
                "records/0/fields/n/value", 987654)
            owner(.share("update", "S", tagged: true, participants: []))
            saves(.guest, .note("update", "item", 987654), refused: [.zoneUnknown]).with(messageID: "m").lacking(
                "987654")
        }
        ruleOfShared("A repeat of a request shows no fields of a record that has left the share") {
            saves(.guest, .note("update", "item", 41)).with(messageID: "m")
            owner(.note("update", "item", 41, below: .null))
            saves(.guest, .note("update", "item", 41)).with(messageID: "m")
                .showing("records/0/fieldsOmitted", true).showing("records/0/fields/n", .null)
        }
        rule("Public users have the public permission") {
            owner(
                .note("create", "list"), .note("create", "item", below: "list"),
                .share("create", "S", of: "list", permission: "READ_ONLY"))
            accepts(.friend, .shortGUID("@link:S"))
            reads(.friend, "item")
            saves(.friend, .note("update", "item", 3), refused: [.accessDenied])
            owner(.share("update", "S", tagged: true, permission: "READ_WRITE"))
            saves(.friend, .note("update", "item", 3))
        }
    }
}
