import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession

/// `zonda share create`.
struct ShareCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Share a record and everything below it, or a whole zone.",
        discussion: """
            With --public, everyone who has the link can join, and nobody can be invited.

            EXAMPLES
              zonda share create --zone Notes groceries --title Groceries --invite ada@example.org
              zonda share create --zone Family --zone-wide --invite _0123456789abcdef0123456789abcdef
              zonda share create --zone Notes menu --public read-only
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "The record zone.")
    var zone: String

    @Flag(help: "Share all records of the zone.")
    var zoneWide = false

    @Option(help: "The title that participants see.")
    var title: String?

    @Option(help: "The type, as defined by the application.")
    var type: String?

    @Option(name: .customLong("public"), help: "The permission of everyone who has the link.")
    var publicPermission = PermissionSpelling.none

    @Option(help: ArgumentHelp("A user record name or an email address to invite; may be repeated.", valueName: "who"))
    var invite: [ShareMember] = []

    @Option(help: "The permission of the invited users: none, read-only or read-write.")
    var permission = PermissionSpelling.readOnly

    @Argument(help: "The name of the root record.")
    var name: String?

    func validate() throws {
        guard zoneWide == (name == nil) else { throw ValidationError("Specify either a record or --zone-wide") }
        guard publicPermission == .none || invite.isEmpty else {
            throw ValidationError("Specify either --public or --invite")
        }
        guard Set(invite).count == invite.count else { throw ValidationError("A participant is specified twice") }
        guard !invite.contains(where: \.isID) else {
            throw ValidationError("Specify user record names or email addresses")
        }
    }

    func run() async throws {
        try await global.withSession { session in
            global.show(try await session.save([operation], in: ZonePlace(zone)))
        }
    }

    /// The operation that saves the share.
    var operation: JSONValue {
        let fields = [("cloudkit.title", title), ("cloudkit.type", type)].compactMap { name, text in
            text.map { JSONValue.Member(name, ["value": .string($0), "type": "STRING"]) }
        }
        return [
            "operationType": "create",
            "record": .object(having: [
                ("recordName", zoneWide ? .string(ShareRecord.zoneShareName) : nil),
                ("recordType", .string(ShareRecord.type)), ("fields", .object(fields)),
                ("forRecord", name.map { ["recordName": .string($0)] }),
                ("publicPermission", .string(publicPermission.permission.wireName)),
                ("participants", .array(invite.map { $0.invitation(permission.permission) })),
            ]),
        ]
    }
}
