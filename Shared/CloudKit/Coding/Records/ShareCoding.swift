internal import CloudKitWire
internal import Foundation

/// The part of a share's JSON that other records do not have (web-services 3.10).
enum ShareCoding {
    /// Returns the members of a save.
    static func members(of share: CKShare) -> [JSONValue.Member] {
        let state = share.sharing.copy
        var members = [JSONValue.Member("publicPermission", .string(name(of: state.publicPermission)))]
        if share.recordChangeTag == nil, let root = state.root {
            var json = [JSONValue.Member("recordName", .string(root.recordID.recordName))]
            if let tag = root.recordChangeTag { json.append(JSONValue.Member("recordChangeTag", .string(tag))) }
            members.append(JSONValue.Member("forRecord", .object(json)))
        }
        // The list must contain all participants. Those who joined through the link are the server's.
        let invited = state.participants.filter { $0.role != .publicUser || $0.state.copy.serverID != nil }
        members.append(JSONValue.Member("participants", .array(invited.compactMap(json))))
        members.append(JSONValue.Member("allowsAccessRequests", .bool(state.allowsAccessRequests)))
        for (key, users) in [
            ("denyRequesters", state.denied), ("blockRequesters", state.newlyBlocked),
            ("unblockIdentities", state.unblocked),
        ] where !users.isEmpty {
            members.append(JSONValue.Member(key, .array(users.map { ["userRecordName": .string($0)] })))
        }
        return members
    }

    private static func json(of participant: CKShareParticipant) -> JSONValue? {
        let state = participant.state.copy
        // The server adds the owner of a new share.
        if state.role == .owner, state.serverID == nil { return nil }
        var members: [JSONValue.Member] = []
        if let id = state.serverID { members.append(JSONValue.Member("participantId", .string(id))) }
        if state.role != .owner {
            members.append(JSONValue.Member("permission", .string(name(of: state.permission))))
            members.append(JSONValue.Member("type", .string(name(of: state.role))))
        }
        if state.serverID == nil {
            if state.usesOneTimeLink {
                members.append(JSONValue.Member("usesOneTimeURL", true))
            } else {
                members.append(JSONValue.Member("userIdentity", identity(participant.userIdentity)))
            }
        }
        return .object(members)
    }

    private static func identity(_ identity: CKUserIdentity) -> JSONValue {
        if let user = identity.userRecordID { return ["userRecordName": .string(user.recordName)] }
        if let user = identity.lookupInfo?.userRecordID { return ["userRecordName": .string(user.recordName)] }
        if let email = identity.lookupInfo?.emailAddress { return ["lookupInfo": ["emailAddress": .string(email)]] }
        return ["lookupInfo": ["phoneNumber": .string(identity.lookupInfo?.phoneNumber ?? "")]]
    }

    /// Makes a share from a dictionary.
    static func share(
        _ id: CKRecordID, _ state: CKRecord.State, from json: JSONValue, in database: WebDatabase
    ) -> CKShare {
        CKShare(id: id, state: state, share: sharing(from: json, in: database))
    }

    /// Gives a saved share what the server has answered.
    static func adopt(_ json: JSONValue, into share: CKShare, in database: WebDatabase) {
        guard json["participants"] != nil else { return }
        let new = sharing(from: json, in: database)
        share.sharing.withLock { $0 = new }
    }

    private static func sharing(from json: JSONValue, in database: WebDatabase) -> CKShare.ShareState {
        var state = CKShare.ShareState()
        state.links = database.shareLinks
        state.publicPermission = permission(json["publicPermission"]?.string)
        state.participants = json["participants"]?.array?.map(participant) ?? []
        state.owner = json["owner"].map(participant) ?? state.participants.first { $0.role == .owner }
        let current = json["currentUserParticipant"].map(participant)
        state.current = state.participants.first { $0 == current } ?? current
        state.allowsAccessRequests = json["allowsAccessRequests"]?.bool ?? false
        state.requesters = (json["requesters"]?.array ?? []).map {
            CKShareAccessRequester(UserIdentityCoding.identity($0["userIdentity"]))
        }
        state.blocked = (json["blocked"]?.array ?? []).map {
            CKShareBlockedIdentity(UserIdentityCoding.identity($0["userIdentity"]))
        }
        return state
    }

    private static func participant(_ json: JSONValue) -> CKShareParticipant {
        CKShareParticipant(
            UserIdentityCoding.identity(json["userIdentity"]),
            CKShareParticipant.State(
                serverID: json["participantId"]?.string, role: role(json["type"]?.string),
                permission: permission(json["permission"]?.string), status: status(json["acceptanceStatus"]?.string),
                usesOneTimeLink: json["oneTimeShortGUID"] != nil, oneTimeGUID: json["oneTimeShortGUID"]?.string))
    }

    // MARK: - Names

    static func role(_ name: String?) -> CKShareParticipantRole {
        switch name {
        case "OWNER": .owner
        case "ADMINISTRATOR": .administrator
        case "USER", "PRIVATE_USER": .privateUser
        case "PUBLIC_USER": .publicUser
        default: .unknown
        }
    }

    private static func name(of role: CKShareParticipantRole) -> String {
        switch role {
        case .owner: "OWNER"
        case .administrator: "ADMINISTRATOR"
        case .publicUser: "PUBLIC_USER"
        case .privateUser, .unknown: "USER"
        }
    }

    static func permission(_ name: String?) -> CKShareParticipantPermission {
        switch name {
        case "NONE": .none
        case "READ_ONLY": .readOnly
        case "READ_WRITE": .readWrite
        default: .unknown
        }
    }

    private static func name(of permission: CKShareParticipantPermission) -> String {
        switch permission {
        case .none, .unknown: "NONE"
        case .readOnly: "READ_ONLY"
        case .readWrite: "READ_WRITE"
        }
    }

    static func status(_ name: String?) -> CKShareParticipantAcceptanceStatus {
        switch name {
        case "INVITED", "PENDING": .pending
        case "ACCEPTED": .accepted
        case "REMOVED", "UNSUBSCRIBED": .removed
        default: .unknown
        }
    }
}
