package import CloudKitModel
package import CloudKitWire
internal import Foundation

/// The sharing data of a record that is a share, is the root of a share, or only has a link. This type is a class, so
/// that it takes up little space in the many records without such data.
package final class StoredSharing: Sendable {
    /// Whether the record is the root of a share.
    package let isRoot: Bool
    /// The name of the share; nil for a record that only has a link.
    package let shareName: RecordName?
    /// The identifier in the link; nil if the link of a share is missing.
    package let link: String?
    /// The permission of everyone who has the link.
    package let publicPermission: SharePermission
    /// The invited and accepted participants in order of their ids; the owner is the first.
    package let participants: [StoredParticipant]
    /// Whether ``participants`` and ``requests`` are not those of the share, because not all of them were read. Answers
    /// then contain no list.
    package let isPartial: Bool
    /// The users who request access to the share, and those who are blocked.
    package let requests: AccessRequests
    private let share: ShareID

    /// Creates the sharing of a record.
    package init(
        isRoot: Bool, shareName: RecordName?, link: String?, publicPermission: SharePermission,
        participants: [StoredParticipant], requests: AccessRequests = AccessRequests(), share: ShareID,
        isPartial: Bool = false
    ) {
        self.isPartial = isPartial
        self.isRoot = isRoot
        self.shareName = shareName
        self.link = link
        self.publicPermission = publicPermission
        self.participants = participants
        self.requests = requests
        self.share = share
    }

    /// Creates the sharing of a record that only has a link.
    package convenience init(link: String) {
        self.init(
            isRoot: false, shareName: nil, link: link, publicPermission: .none, participants: [], share: ShareID(0))
    }

    /// Returns the column that ``init(_:)`` decodes, for rows `r` of records. The column is null unless the record is a
    /// share, is the root of a share, or has a link.
    ///
    /// - Parameter condition: the condition for reading participants; nil to read the participants of every share.
    static func column(participantsIf condition: String? = nil) -> String {
        """
        case when r.share is not null or r.linked then coalesce((
            select jsonb_build_array(s.root is not distinct from r.name, s.name, l.link, s.public_permission, s.id,
                case when s.name = r.name\(condition.map { " and \($0)" } ?? "") then (
                    select jsonb_agg(jsonb_build_array(p.id, p.user_name, p.email, p.role, p.permission, p.status,
                        p.uuid, \(ParticipantColumns.oneTimeLink)) order by p.id)
                    from record.participant p where p.zone = s.zone and p.share = s.id and p.status in (1, 2)) end,
                s.allows_requests, case when s.name = r.name\(condition.map { " and \($0)" } ?? "") then
                    \(ParticipantColumns.requesters()) end)
            from record.share s left join record.link l on l.zone = s.zone and l.name = coalesce(s.root, s.name)
            where s.zone = r.zone and s.id = r.share and s.ended_seq is null and (s.root = r.name or s.name = r.name)
        ), case when r.linked and r.fields is not null then (
            select jsonb_build_array(false, null, l.link, 1, 0, null, false, null)
            from record.link l where l.zone = r.zone and l.name = r.name
        ) end) end
        """
    }

    /// The approximate number of bytes of a participant in an answer, without the email address.
    private static let participantFrameBytes = 240

    /// The approximate size of the participants and the requesters in an answer, in bytes.
    package var participantBytes: Int {
        participants.reduce(0) { $0 + Self.participantFrameBytes + ($1.email?.utf8.count ?? 0) }
            + requests.requesters.reduce(0) { $0 + Self.participantFrameBytes + ($1.email?.utf8.count ?? 0) }
    }

    /// Decodes ``column(participantsIf:)``; nil if the JSON has any other form.
    package convenience init?(_ json: JSONValue) {
        guard let parts = json.array, parts.count == 8, let isRoot = parts[0].bool, let id = parts[4].int,
            let permission = parts[3].int.flatMap({ SharePermission(rawValue: Int16($0)) })
        else { return nil }
        self.init(
            isRoot: isRoot, shareName: parts[1].string.map(RecordName.init(unchecked:)), link: parts[2].string,
            publicPermission: permission,
            participants: (parts[5].array ?? []).compactMap(StoredParticipant.init),
            requests: AccessRequests(
                areAllowed: parts[6].bool ?? false, requesters: ParticipantColumns.requesters(parts[7])),
            // A live share has at least one participant, its owner.
            share: ShareID(id), isPartial: !isRoot && parts[1].string != nil && parts[5].array == nil)
    }

    /// Returns the id of a participant on the wire.
    package func id(of participant: StoredParticipant) -> String { participant.wireID(in: share) }

    private func seesAll(_ reader: String) -> Bool {
        participants.contains { $0.user == reader && $0.role != .publicUser && $0.status == .accepted }
    }

    /// Returns whether the record dictionary for `reader` names the owner as the user who last modified the record.
    /// Accepting a share modifies the share, so the actual user might be a participant whom `reader` may not see.
    package func hidesModifier(from reader: String, owner: String) -> Bool {
        !isRoot && shareName != nil && reader != owner && !seesAll(reader)
    }

    /// Returns whether the record dictionary for `reader` omits the parent. The parent of a root does not belong to the
    /// share.
    package func hidesParent(from reader: String, owner: String) -> Bool {
        hidesParentFromParticipants && reader != owner
    }

    /// Whether the record has no parent for users other than the owner of its zone.
    package var hidesParentFromParticipants: Bool { isRoot && shareName != nil }

    /// What the dictionary of the record contains for `reader`. Users who have not accepted, or joined by the link, see
    /// the owner and themselves only; email addresses are the owner's to see. Requests for access are visible
    /// to the owner and to administrators, and one-time links to those who could grant the permission.
    ///
    /// - Parameters:
    ///   - owner: the owner of the zone.
    ///   - invitation: the number of the participant who was invited through the reader's email address, if there is
    ///     one.
    /// - Returns: nil if the record has only a link and the reader is not the owner. Only the owner sees this link.
    package func envelope(
        for reader: String, owner: String, invitedAs invitation: Int32? = nil
    ) -> SharingEnvelope? {
        if shareName == nil, reader != owner { return nil }
        guard !isRoot, shareName != nil else { return SharingEnvelope(shortGUID: link, shareName: shareName) }
        let current = participants.first { $0.user == reader || $0.id == invitation }
        let seesAll = seesAll(reader)
        let seesEmails = current?.role == .owner
        let manages = current?.managesShare == true
        func identities(_ requesters: some Sequence<AccessRequests.Requester>) -> [SharingEnvelope.Identity] {
            manages ? requesters.map { .init(user: $0.user, email: seesEmails ? $0.email : nil) } : []
        }
        // An administrator could use a link with a second account, and would then have its permission.
        func grants(_ participant: StoredParticipant) -> Bool {
            guard manages, let current else { return false }
            return current.role == .owner || current.permission >= participant.permission
        }
        func shown(_ participant: StoredParticipant) -> SharingEnvelope.Participant {
            SharingEnvelope.Participant(
                id: id(of: participant), user: participant.user,
                email: seesEmails || participant.id == current?.id ? participant.email : nil, role: participant.role,
                permission: participant.permission, status: participant.status,
                oneTimeGUID: grants(participant) && participant.usesOneTimeLink ? participant.link : nil)
        }
        var share = SharingEnvelope.Share(
            publicPermission: publicPermission,
            participants: participants.filter { seesAll || $0.role == .owner || $0.id == current?.id }.map(shown),
            currentUser: current.map(shown))
        share.allowsAccessRequests = requests.areAllowed
        share.requesters = identities(requests.requesters.lazy.filter { !$0.isBlocked })
        share.blocked = identities(requests.requesters.lazy.filter(\.isBlocked))
        return SharingEnvelope(shortGUID: link, share: share)
    }
}

extension StoredParticipant {
    /// Decodes an element of ``StoredSharing/column(participantsIf:)``.
    fileprivate init?(_ json: JSONValue) {
        guard let parts = json.array, parts.count == 8, let id = parts[0].int.flatMap(Int32.init(exactly:)),
            let role = parts[3].int.flatMap({ ParticipantRole(rawValue: Int16($0)) }),
            let permission = parts[4].int.flatMap({ SharePermission(rawValue: Int16($0)) }),
            let status = parts[5].int.flatMap({ AcceptanceStatus(rawValue: Int16($0)) })
        else { return nil }
        self.init(
            id: id, uuid: parts[6].string.flatMap(UUID.init(uuidString:)), user: parts[1].string,
            email: parts[2].string, role: role, permission: permission, status: status, link: parts[7].string)
    }
}
