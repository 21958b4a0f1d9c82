internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage

/// The participants in a share, and the rules by which a save of the share changes them (semantics 11.2).
struct ParticipantList {
    /// All participants in order of their ids, including those who have lost access. The owner is the first.
    private(set) var participants: [StoredParticipant]
    /// The ids of the participants that changed.
    private(set) var changed: Set<Int32> = []
    /// The ids of the participants whose rows are deleted because they were removed before they accepted.
    private(set) var dropped: Set<Int32> = []
    /// Whether a participant gained or lost access or got another permission.
    private(set) var changesAccess = false
    /// The share; nil while it is new.
    let share: ShareID?
    /// The source of the ids and the one-time links of new participants.
    private let seed: ParticipantSeed
    /// What is known about participants who are not in the list; nil if the list is complete.
    private let rest: StoredShare.Rest?

    /// Creates the list of an existing share.
    init(of share: StoredShare, seed: ParticipantSeed) {
        self.init(share.participants, of: share.id, seed: seed, rest: share.rest)
    }

    /// Creates a list of `participants`.
    init(
        _ participants: [StoredParticipant], of share: ShareID? = nil, seed: ParticipantSeed = ParticipantSeed(),
        rest: StoredShare.Rest? = nil
    ) {
        self.participants = participants
        self.rest = rest
        self.share = share
        self.seed = seed
    }

    /// Creates the list of a new share, which contains only the owner.
    init(owner: String, seq: Int64, seed: ParticipantSeed = ParticipantSeed()) {
        self.init(
            [
                StoredParticipant(
                    id: 0, uuid: seed.id(of: 0), user: owner, email: nil, role: .owner, permission: .readWrite,
                    status: .accepted, since: seq)
            ], seed: seed)
        changed = [0]
        changesAccess = true
    }

    /// The participants whose rows must be written.
    var rows: [StoredParticipant] { participants.filter { changed.contains($0.id) && !dropped.contains($0.id) } }

    /// Replaces the list with the one that the owner sent: participants in the new list are updated or invited, and all
    /// others are removed.
    ///
    /// - Parameters:
    ///   - sent: all participants that the share should have. The owner can be left out.
    ///   - limit: the maximum number of invited and accepted participants, not counting the owner and public users.
    ///   - seq: the number of the change.
    /// - Throws: `participant_invalid` or `too_many_participants`.
    mutating func replace(with sent: [WireParticipant], limit: Int, seq: Int64) throws(ServerError) {
        // The list that was sent can contain the owner and the public users, who are not counted.
        let counted = sent.count - 1 - participants.count { $0.status.isListed && $0.role == .publicUser }
        guard counted <= limit else { throw .tooManyParticipants(limit: limit, actual: counted) }
        var places = Places(participants, of: share)
        var kept: Set<Int32> = []
        for participant in sent {
            let email = try Self.address(of: participant)
            guard let place = try place(of: participant, email: email, in: places) else {
                guard participant.role != .owner else {
                    throw .participantInvalid("A share has one owner, the owner of its zone")
                }
                kept.insert(try invite(participant, email: email))
                places.add(participants.count - 1, participants[participants.count - 1])
                continue
            }
            guard kept.insert(participants[place].id).inserted else {
                throw .participantInvalid("A participant occurs twice in the list")
            }
            let isOwner = participants[place].role == .owner
            guard isOwner || participant.role != .owner else {
                throw .participantInvalid("A share has one owner, the owner of its zone")
            }
            guard !isOwner || participant.role == nil || participant.role == .owner else {
                throw .participantInvalid("The owner of a share cannot have a different role")
            }
            guard !isOwner else { continue }
            try update(place, to: participant, email: email, seq: seq)
            places.add(place, participants[place])
        }
        for place in participants.indices
        where participants[place].status.isListed && participants[place].role != .owner
            && !kept.contains(participants[place].id)
        {
            remove(place, seq: seq)
        }
        let count = participants.count { $0.status.isListed && $0.role != .owner && $0.role != .publicUser }
        guard count <= limit else { throw .tooManyParticipants(limit: limit, actual: count) }
    }

    /// Applies a new public permission. Granting a public permission ends pending invitations; withdrawing it ends the
    /// access of users who joined through the link.
    mutating func publicPermissionChanged(from old: SharePermission, to new: SharePermission, seq: Int64) {
        guard old != new else { return }
        changesAccess = true
        for place in participants.indices {
            let participant = participants[place]
            if new == .none, participant.role == .publicUser, participant.status == .accepted {
                remove(place, seq: seq)
            } else if old == .none, participant.role != .owner, participant.status == .invited {
                remove(place, seq: seq)
            }
            if new != .none, participant.role == .publicUser, participant.permission != new {
                participants[place].permission = new
                changed.insert(participant.id)
            }
        }
    }

    /// The positions of participants in the list.
    private struct Places {
        /// The positions by the ids in answers. A new participant has no id that a client could know.
        var ids: [String: Int] = [:]
        var users: [String: Int] = [:]
        var emails: [String: Int] = [:]

        init(_ participants: [StoredParticipant], of share: ShareID?) {
            for (place, participant) in participants.enumerated() {
                if let share { ids[participant.wireID(in: share)] = place }
                add(place, participant)
            }
        }

        mutating func add(_ place: Int, _ participant: StoredParticipant) {
            if let user = participant.user { users[user] = place }
            if let email = participant.email { emails[email] = place }
        }
    }

    /// Returns the position of the participant that was sent; nil if the participant is new.
    private func place(
        of sent: WireParticipant, email: String?, in places: Places
    ) throws(ServerError) -> Int? {
        var found: [Int] = []
        if let id = sent.id {
            guard let place = places.ids[id] else {
                throw .participantInvalid(
                    "A participantId does not belong to this share; omit the key for a new participant")
            }
            found.append(place)
        } else if sent.user == nil, email == nil {
            guard sent.usesOneTimeLink else {
                throw .participantInvalid("A participant has neither a user record name nor an email address")
            }
            return nil
        }
        if let place = sent.user.flatMap({ places.users[$0.rawValue] }) { found.append(place) }
        if let place = email.flatMap({ places.emails[$0] }) { found.append(place) }
        guard let place = found.first else { return nil }
        let known = participants[place]
        guard found.allSatisfy({ $0 == place }), [nil, known.user].contains(sent.user?.rawValue) || known.user == nil,
            [nil, known.email].contains(email) || known.email == nil
        else {
            throw .participantInvalid(
                "A participant's participantId, user record name and email address name different participants")
        }
        return place
    }

    /// Returns the email address in the form in which it is stored and compared.
    private static func address(of sent: WireParticipant) throws(ServerError) -> String? {
        guard let email = sent.email else { return nil }
        guard isAddress(email) else {
            throw .participantInvalid("A participant's email address is malformed")
        }
        return email.lowercased()
    }

    /// Whether `text` has the form of an email address: one `@` with something on both sides, without white space.
    private static func isAddress(_ text: String) -> Bool {
        guard text.utf8.count <= 254 else { return false }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    }

    /// Anybody could use a one-time link, so it never makes a user an administrator.
    private static var oneTimeAdministrator: ServerError {
        .participantInvalid("A participant with usesOneTimeURL cannot be an ADMINISTRATOR")
    }

    /// Adds a participant. The number of a deleted row can be reused, which is safe: a share is saved only with its
    /// current tag, so a client cannot send the id of a participant that the share no longer has.
    private mutating func invite(_ sent: WireParticipant, email: String?) throws(ServerError) -> Int32 {
        let hasIdentity = sent.user != nil || email != nil
        guard hasIdentity != sent.usesOneTimeLink else {
            throw .participantInvalid("A participant with usesOneTimeURL has no identity")
        }
        guard hasIdentity || sent.role != .administrator else { throw Self.oneTimeAdministrator }
        let id = nextID
        participants.append(
            StoredParticipant(
                id: id, uuid: seed.id(of: id), user: sent.user?.rawValue, email: email,
                role: sent.role == .administrator ? .administrator : .user, permission: sent.permission ?? .readOnly,
                status: .invited, link: sent.usesOneTimeLink ? seed.link(of: id) : nil))
        changed.insert(id)
        return id
    }

    /// The number of the next new participant.
    private var nextID: Int32 { max(participants.last?.id ?? 0, rest?.lastID ?? 0) + 1 }

    /// The number of users who have joined through the link.
    var publicUsers: Int {
        rest?.publicUsers ?? participants.count { $0.status.isListed && $0.role == .publicUser }
    }

    private mutating func update(
        _ place: Int, to sent: WireParticipant, email: String?, seq: Int64
    ) throws(ServerError) {
        var participant = participants[place]
        // The owner can add a user to an invitation by email, and an email address to a user.
        participant.user = participant.user ?? sent.user?.rawValue
        participant.email = participant.email ?? email
        if !participant.status.isListed {
            // A participant who was removed or who left is invited again, and does not get back a former role. The public
            // permission is not that of an invitation.
            participant.status = .invited
            if participant.role == .publicUser { participant.permission = .readOnly }
            participant.role = .user
        }
        if participant.role != .publicUser {
            participant.permission = sent.permission ?? participant.permission
            if let role = sent.role, role == .administrator || role == .user { participant.role = role }
        }
        guard !participant.usesOneTimeLink || participant.role != .administrator else {
            throw Self.oneTimeAdministrator
        }
        guard participant != participants[place] else { return }
        participant.noteAccess(before: participants[place].hasAccess, seq: seq)
        participants[place] = participant
        changed.insert(participant.id)
        if participant.status == .accepted { changesAccess = true }
    }

    /// Applies `change` to the participant at `place`, and then gives the participant access.
    mutating func grant(_ place: Int?, seq: Int64, _ change: (inout StoredParticipant) -> Void) {
        guard let place else { return }
        change(&participants[place])
        participants[place].status = .accepted
        participants[place].noteAccess(before: false, seq: seq)
        changed.insert(participants[place].id)
        changesAccess = true
    }

    /// Adds a user who joins through the link, and returns the user's position in the list.
    mutating func add(_ user: String) -> Int {
        participants.append(
            StoredParticipant(
                id: nextID, uuid: seed.id(of: nextID), user: user, email: nil, role: .publicUser, permission: .none,
                status: .invited))
        return participants.count - 1
    }

    /// Ends an invitation that is merged into another participant.
    mutating func withdraw(_ place: Int) {
        participants[place].status = .removed
        participants[place].email = nil
        changed.insert(participants[place].id)
        if participants[place].since == nil { dropped.insert(participants[place].id) }
    }

    /// Removes those of `users` who are invited or have accepted, except the owner.
    mutating func remove(_ users: Set<String>, seq: Int64) {
        for place in participants.indices where participants[place].user.map(users.contains) == true {
            if participants[place].status.isListed, participants[place].role != .owner { remove(place, seq: seq) }
        }
    }

    private mutating func remove(_ place: Int, seq: Int64) { end(place, as: .removed, seq: seq) }

    /// Ends the participation or the invitation of the participant at `place`.
    mutating func end(_ place: Int, as status: AcceptanceStatus, seq: Int64) {
        let hadAccess = participants[place].hasAccess
        if participants[place].status == .accepted { changesAccess = true }
        participants[place].status = status
        participants[place].noteAccess(before: hadAccess, seq: seq)
        changed.insert(participants[place].id)
        if participants[place].since == nil { dropped.insert(participants[place].id) }
    }
}
