/// A live share of the model (semantics 11.2 and 11.3).
struct ModelShare: Equatable, Sendable {
    /// What a participant may do. The raw value is the name on the wire.
    enum Permission: String, CaseIterable, Sendable {
        case none = "NONE"
        case readOnly = "READ_ONLY"
        case readWrite = "READ_WRITE"
    }

    /// The role of a participant other than the owner.
    enum Role: String, Sendable {
        case user = "USER"
        case publicUser = "PUBLIC_USER"
    }

    /// The status of a participant. A user who left is ``removed`` too.
    enum Status: String, Sendable {
        case invited = "INVITED"
        case accepted = "ACCEPTED"
        case removed = "REMOVED"
    }

    /// A user whom the owner invited, or who joined through the link.
    struct Participant: Equatable, Sendable {
        var role: Role
        var permission: Permission
        var status: Status

        /// Whether the list of participants contains the participant.
        var isListed: Bool { status != .removed }
    }

    /// The type of share records.
    static let recordType = "cloudkit.share"
    /// The name of the share of a whole zone.
    static let zoneShareName = "cloudkit.zoneshare"

    /// The name of the root; nil for the share of a whole zone.
    let root: String?
    /// The number of the change that began the share. It distinguishes the share from earlier ones with its name.
    let begun: Int
    var link: String
    private(set) var publicPermission = Permission.none
    private(set) var participants: [String: Participant] = [:]

    /// Creates a share without participants.
    init(root: String?, begun: Int, link: String) {
        self.root = root
        self.begun = begun
        self.link = link
    }

    /// Applies the keys of a save by the owner. Users who are missing from the list are removed.
    mutating func apply(_ change: ModelShareChange) {
        if let sent = change.participants {
            for (user, permission) in sent { invite(user, permission) }
            for (user, known) in participants where sent[user] == nil && known.isListed { remove(user) }
        }
        let (old, new) = (publicPermission, change.publicPermission ?? publicPermission)
        guard old != new else { return }
        publicPermission = new
        for (user, known) in participants where known.isListed {
            switch known.role {
            case .publicUser where new == .none: remove(user)
            case .publicUser: participants[user]?.permission = new
            case .user where old == .none && known.status == .invited: remove(user)
            case .user: continue
            }
        }
    }

    private mutating func invite(_ user: String, _ permission: Permission) {
        guard var known = participants[user], known.isListed else {
            participants[user] = Participant(role: .user, permission: permission, status: .invited)
            return
        }
        // The public permission applies to users who joined through the link.
        if known.role == .user { known.permission = permission }
        participants[user] = known
    }

    /// Ends the participation of a user.
    mutating func remove(_ user: String) { participants[user]?.status = .removed }

    /// Accepts the share for a user.
    ///
    /// - Returns: whether this changed the share; nil if the user cannot open it.
    mutating func accept(_ user: String) -> Bool? {
        if let known = participants[user], known.isListed {
            if known.permission == .none { return nil }
            participants[user]?.status = .accepted
            return known.status == .invited
        }
        guard publicPermission != .none else { return nil }
        participants[user] = Participant(role: .publicUser, permission: publicPermission, status: .accepted)
        return true
    }

    /// The permission of a user for the records; none for a user who has not accepted.
    func permission(of user: String) -> Permission {
        guard let known = participants[user], known.status == .accepted else { return .none }
        return known.permission
    }

    /// Returns the content of the share record for a reader.
    ///
    /// - Parameter reader: a participant; nil for the owner. Users who joined through the link see no others.
    func fields(for reader: String?) -> [String: ModelValue] {
        let seesAll = reader.map { participants[$0]?.role == .user } ?? true
        var fields: [String: ModelValue] = [
            "shortGUID": .text(link), "publicPermission": .text(publicPermission.rawValue),
        ]
        for (user, known) in participants where known.isListed && (seesAll || user == reader) {
            fields[user] = .text("\(known.role.rawValue) \(known.permission.rawValue) \(known.status.rawValue)")
        }
        return fields
    }
}

/// The keys of a share in a save by the owner; nil for keys that the save omits.
struct ModelShareChange: Equatable, Sendable, CustomStringConvertible {
    /// The record to be shared by a new share; nil for the share of a whole zone.
    var root: String?
    /// The change tag of ``root`` that the request names.
    var rootTag: String?
    var publicPermission: ModelShare.Permission?
    /// The permission of each participant.
    var participants: [String: ModelShare.Permission]?
    /// Whether the share gets a new link.
    var replacesLink = false

    var description: String {
        let users = participants.map { $0.map { "\($0.prefix(3)) \($1.rawValue)" }.sorted().joined(separator: ", ") }
        return """
            share of \(root ?? "nothing new") public \(publicPermission?.rawValue ?? "-") for [\(users ?? "-")]\
            \(replacesLink ? " with a new link" : "")
            """
    }
}
