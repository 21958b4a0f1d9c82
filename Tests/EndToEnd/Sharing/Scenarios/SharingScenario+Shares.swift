import CloudKitWire
import ServiceMessages

/// What a share is (semantics 11.1 and 11.2).
extension SharingScenario {
    private static let zoneShare = "cloudkit.zoneshare"

    @SharingBuilder<SharingScenario> static var shares: [SharingScenario] {
        rule("A share has CloudKit's fields and own fields, whose names contain dots") {
            owner(
                .note("create", "list"),
                .share(
                    "create", "S", of: "list",
                    [
                        .init(
                            "fields",
                            [
                                "cloudkit.title": ["value": "Groceries"],
                                "cloudkit.type": ["value": "org.example.list"],
                                "cloudkit.thumbnailImageData": ["value": "AAEC", "type": "BYTES"],
                                "com.example.colour": ["value": "red"],
                            ])
                    ])
            )
            .showing("records/1/recordType", "cloudkit.share")
            .showing("records/1/fields/cloudkit.title/value", "Groceries")
            .showing("records/1/fields/cloudkit.type/value", "org.example.list")
            .showing("records/1/fields/cloudkit.thumbnailImageData/value", "AAEC")
            .showing("records/1/fields/com.example.colour/value", "red")
        }
        rule("Names with dots are refused in records that are not shares") {
            owner(.note("create", "a", fields: ["com.example.x": ["value": 1]]), refused: [.fieldNameInvalid])
        }
        rule("A share is made for an existing record") {
            owner(.note("create", "list"))
            owner(.share("create", "S", of: "list")).showing("records/0/shortGUID", "@link:list")
            reads(.owner, "list").showing("records/0/share/recordName", "S")
        }
        rule("A share is made in one request with its root, and both have the share and the link") {
            owner(.note("create", "list"), .share("create", "S", of: "list"))
                .showing("records/0/share/recordName", "S").showing("records/0/shortGUID", "@link:S")
                .showing("records/1/shortGUID", "@link:list").showing("records/1/publicPermission", "NONE")
        }
        rule("A zone-wide share is called cloudkit.zoneshare and shares all records, now and later") {
            owner(.note("create", "diary"), .share("create", zoneShare, participants: [.user(.guest)]))
            accepts(.guest, .shortGUID("@link:\(zoneShare)"))
            owner(.note("create", "later"))
            reads(.guest, "diary", "later")
        }
        rule("A share without its root is refused with 12") {
            owner(
                .note("create", "gone"), .note("create", "list"), .note("create", "other"),
                .share("create", "T", of: "other"))
            owner(.deletion("gone"))
            owner(
                .share("create", "A"), .share("create", "B", of: "never"), .share("create", "C", of: "gone"),
                .share("create", "D", of: "T"),
                refused: [.rootMissing, .rootMissing, .rootMissing, .rootMissing])
        }
        rule("Every save of a share compares the tag, also those that are forced") {
            owner(.note("create", "list"), .share("create", "S", of: "list"))
            owner(.share("update", "S", permission: "READ_ONLY"), refused: [.tagStale])
            owner(.share("replace", "S", permission: "READ_ONLY"), refused: [.tagStale])
            owner(.share("forceUpdate", "S", permission: "READ_ONLY"), refused: [.tagStale])
            owner(.share("forceReplace", "S", permission: "READ_ONLY"), refused: [.tagStale])
            owner(.share("update", "S", tagged: true, permission: "READ_ONLY"))
        }
        rule("The root gets a new tag when sharing begins and when it ends") {
            owner(.note("create", "list")).keeping("alone", "records/0/recordChangeTag")
            owner(.share("create", "S", of: "list"))
            reads(.owner, "list").differing("records/0/recordChangeTag", "@alone")
                .keeping("shared", "records/0/recordChangeTag")
            owner(.deletion("S"))
            reads(.owner, "list").differing("records/0/recordChangeTag", "@shared")
                .showing("records/0/share", .null)
        }
        rule("Nested shares are refused with 30") {
            owner(
                .note("create", "list"), .note("create", "item", below: "list"),
                .note("create", "detail", below: "item"), .share("create", "S", of: "item"))
            owner(
                .share("create", "A", of: "list"), .share("create", "B", of: "item"),
                .share("create", "C", of: "detail"), refused: [.alreadyShared, .alreadyShared, .alreadyShared])
        }
        rule("A subtree with a share cannot move below another share: 30") {
            owner(
                .note("create", "list"), .share("create", "S", of: "list"), .note("create", "shelf"),
                .note("create", "book", below: "shelf"), .share("create", "T", of: "book"))
            owner(.note("update", "book", below: "list"), refused: [.alreadyShared])
            owner(.note("update", "shelf", below: "list"), refused: [.alreadyShared])
        }
        rule("A share of a record beside a zone-wide share is refused with 15") {
            owner(.note("create", "list"), .share("create", zoneShare))
            owner(.share("create", "S", of: "list"), refused: [.zoneSharedAsWhole])
        }
        rule("A zone-wide share beside a share of a record is refused with 12") {
            owner(.note("create", "list"), .share("create", "S", of: "list"))
            owner(.share("create", zoneShare), refused: [.zoneHasShares])
        }
        rule("A second zone-wide share is refused with 14") {
            owner(.share("create", zoneShare))
            owner(.share("create", zoneShare), refused: [.recordExists])
        }
        rule("The default zone and the public database contain no shares: 24") {
            asks(
                .owner, .recordsModify, in: "private",
                ["operations": [.note("forceReplace", "list"), .share("create", "S", of: "list")]],
                refused: [nil, .shareNotInDatabase])
            asks(
                .owner, .recordsModify, in: "public",
                ["operations": [.share("create", "S", of: "list")]], refused: [.shareNotInDatabase])
        }
        rule("The parent of the root is irrelevant, and participants do not see it") {
            owner(
                .note("create", "shelf"), .note("create", "list", below: "shelf"),
                .note("create", "other", below: "shelf"),
                .share("create", "S", of: "list", participants: [.user(.guest)]))
            accepts(.guest, .shortGUID("@link:S"))
            reads(.guest, "list", "shelf", "other", refused: [nil, .recordUnknown, .recordUnknown])
                .showing("records/0/parent", .null)
        }
        rule("The share goes with its root") {
            owner(
                .note("create", "list"), .share("create", "S", of: "list", participants: [.user(.guest)]))
            accepts(.guest, .shortGUID("@link:S")).keeping("link", "results/0/shortGUID/value")
            owner(.deletion("list"))
            reads(.owner, "S", refused: [.recordUnknown])
            reads(.guest, "list", refused: [.zoneUnknown])
            resolves(.guest, .shortGUID("@link"), refused: [.linkUnknown])
        }
        rule("The share goes with its zone") {
            owner(
                .note("create", "list"), .share("create", "S", of: "list", participants: [.user(.guest)]))
            accepts(.guest, .shortGUID("@link:S")).keeping("link", "results/0/shortGUID/value")
            deletesZone(.owner)
            reads(.guest, "list", refused: [.zoneUnknown])
            resolves(.guest, .shortGUID("@link"), refused: [.linkUnknown])
        }
        rule("The type of a share is shown as cloudkit.share, and cloudKit.share is accepted too") {
            owner(
                .note("create", "list"),
                [
                    "operationType": "create",
                    "record": [
                        "recordName": "S", "recordType": "cloudKit.share", "forRecord": ["recordName": "list"],
                    ],
                ]
            ).showing("records/1/recordType", "cloudkit.share")
        }
    }
}
