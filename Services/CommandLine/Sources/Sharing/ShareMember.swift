import CloudKitModel
import CloudKitWire

/// A participant as named by an argument: a user record name or an email address.
struct ShareMember: Hashable, Sendable {
    /// The argument.
    let text: String

    /// Creates a member; returns nil if the text is neither a user record name nor an email address.
    init?(_ text: String) {
        guard text.contains("@") || (try? UserName(validating: text)) != nil else { return nil }
        self.text = text
    }

    private var isEmail: Bool { text.contains("@") }

    /// Whether the member is this participant in a share.
    func matches(_ participant: JSONValue) -> Bool {
        let identity = participant["userIdentity"]
        return isEmail
            ? identity?["lookupInfo"]?["emailAddress"]?.string?.lowercased() == text.lowercased()
            : identity?["userRecordName"]?.string == text
    }

    /// Returns the participant dictionary of an invitation.
    func invitation(_ permission: SharePermission) -> JSONValue {
        [
            "userIdentity": isEmail
                ? ["lookupInfo": ["emailAddress": .string(text)]] : ["userRecordName": .string(text)],
            "type": .string(ParticipantRole.user.wireName), "permission": .string(permission.wireName),
            "acceptanceStatus": .string(AcceptanceStatus.invited.wireName),
        ]
    }

    /// Returns `participants` with invitations of `members` added. Members who are already in the list receive the
    /// permission.
    static func inviting(
        _ members: [ShareMember], _ permission: SharePermission, to participants: [JSONValue]
    ) -> [JSONValue] {
        var list = participants
        for member in members {
            if let place = list.firstIndex(where: member.matches) {
                list[place] = .object(
                    (list[place].members ?? []).map { pair in
                        pair.key == "permission" ? .init("permission", .string(permission.wireName)) : pair
                    })
            } else {
                list.append(member.invitation(permission))
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
