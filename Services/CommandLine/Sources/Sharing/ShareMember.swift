import CloudKitModel
import CloudKitWire
import Foundation

/// A participant as named by an argument: a user record name, an email address or, to remove a participant, an id.
struct ShareMember: Hashable, Sendable {
    /// The argument.
    let text: String

    /// Creates a member; returns nil if the text is neither a user record name nor an email address nor an id.
    init?(_ text: String) {
        guard text.contains("@") || (try? UserName(validating: text)) != nil || UUID(uuidString: text) != nil else {
            return nil
        }
        self.text = text
    }

    /// Whether the member is named by the id of a participant, who therefore cannot be invited.
    var isID: Bool { UUID(uuidString: text) != nil }

    private var isEmail: Bool { text.contains("@") }

    /// Whether the member is this participant in a share.
    func matches(_ participant: JSONValue) -> Bool {
        if isID { return participant["participantId"]?.string == text.uppercased() }
        let identity = participant["userIdentity"]
        return isEmail
            ? identity?["lookupInfo"]?["emailAddress"]?.string?.lowercased() == text.lowercased()
            : identity?["userRecordName"]?.string == text
    }

    /// Returns the participant dictionary for a one-time link.
    static func oneTime(_ permission: SharePermission) -> JSONValue {
        [
            "usesOneTimeURL": true, "type": .string(ParticipantRole.user.wireName),
            "permission": .string(permission.wireName),
        ]
    }

    /// Returns the participant dictionary of an invitation.
    func invitation(_ permission: SharePermission, as role: ParticipantRole = .user) -> JSONValue {
        [
            "userIdentity": isEmail
                ? ["lookupInfo": ["emailAddress": .string(text)]] : ["userRecordName": .string(text)],
            "type": .string(role.wireName), "permission": .string(permission.wireName),
            "acceptanceStatus": .string(AcceptanceStatus.invited.wireName),
        ]
    }

    /// Returns `participants` with invitations of `members` added. Members who are already in the list receive the
    /// permission and, if it is given, the role.
    static func inviting(
        _ members: [ShareMember], _ permission: SharePermission, as role: ParticipantRole? = nil,
        to participants: [JSONValue]
    ) -> [JSONValue] {
        var list = participants
        for member in members {
            if let place = list.firstIndex(where: member.matches) {
                list[place] = .object(
                    (list[place].members ?? []).map { pair in
                        switch pair.key {
                        case "permission": .init("permission", .string(permission.wireName))
                        case "type": role.map { .init("type", .string($0.wireName)) } ?? pair
                        default: pair
                        }
                    })
            } else {
                list.append(member.invitation(permission, as: role ?? .user))
            }
        }
        return list
    }

    /// Returns `participants` without `members`, and the members who are not in the list.
    static func removing(
        _ members: [ShareMember], from participants: [JSONValue]
    ) -> (rest: [JSONValue], unknown: [ShareMember]) {
        let rest = participants.filter { participant in !members.contains { $0.matches(participant) } }
        return (rest, members.filter { member in !participants.contains(where: member.matches) })
    }
}
