internal import CloudKitModel

/// The keys of a record dictionary that only shares have.
extension JSONScanner {
    /// Scans the value of `key` if only shares have this key. Otherwise, the cursor does not move.
    ///
    /// - Returns: whether the value was scanned.
    mutating func shareKey(_ key: Token, of record: inout WireRecord) throws(WireFault) -> Bool {
        if matches(key, "forRecord") {
            if try !skipNull() { record.share.root = try shareRoot() }
        } else if matches(key, "publicPermission") {
            record.share.publicPermission = try permission("publicPermission")
        } else if matches(key, "participants") {
            if try !skipNull() { record.share.participants = try participants() }
        } else if matches(key, "replaceShortGUID") {
            record.share.replacesLink = try optionalBool("replaceShortGUID") ?? false
        } else if matches(key, "allowsAccessRequests") {
            record.share.allowsAccessRequests = try optionalBool("allowsAccessRequests")
        } else if matches(key, "denyRequesters") {
            record.share.denied = try users("denyRequesters")
        } else if matches(key, "blockRequesters") {
            record.share.blocked = try users("blockRequesters")
        } else if matches(key, "unblockIdentities") {
            record.share.unblocked = try users("unblockIdentities")
        } else {
            return false
        }
        return true
    }

    private mutating func shareRoot() throws(WireFault) -> WireShare.Root? {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("forRecord", "a dictionary with a recordName") }
        var name: String?
        var tag: String?
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "recordName") {
                name = try optionalString("recordName")
            } else if matches(key, "recordChangeTag") {
                tag = try optionalString("recordChangeTag")
            } else {
                try skipValue()
            }
        }
        guard let name else { throw .content(.missingKey("forRecord.recordName")) }
        do throws(ValidationError) {
            return WireShare.Root(recordName: try RecordName(validating: name), recordChangeTag: tag)
        } catch {
            throw .content(ServerError(error, field: "forRecord.recordName"))
        }
    }

    private mutating func permission(_ key: StaticString) throws(WireFault) -> SharePermission? {
        guard let word = try optionalString(key) else { return nil }
        guard let permission = SharePermission(wireName: word) else {
            throw .content(.shareFieldInvalid("\(key)", word, expected: "NONE, READ_ONLY or READ_WRITE"))
        }
        return permission
    }

    private mutating func participants() throws(WireFault) -> [WireParticipant] {
        var participants: [WireParticipant] = []
        try elements("participants") { scanner throws(WireFault) in
            participants.append(try scanner.participant())
        }
        return participants
    }

    private mutating func participant() throws(WireFault) -> WireParticipant {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("participants", "an array of dictionaries") }
        var participant = WireParticipant()
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "participantId") {
                participant.id = try optionalString("participantId")
            } else if matches(key, "type") {
                participant.role = try role()
            } else if matches(key, "permission") {
                participant.permission = try permission("permission")
            } else if matches(key, "usesOneTimeURL") {
                participant.usesOneTimeLink = try optionalBool("usesOneTimeURL") ?? false
            } else if matches(key, "userIdentity") {
                try identity(of: &participant)
            } else {
                // The server determines the status.
                try skipValue()
            }
        }
        return participant
    }

    /// Scans an array of user identities that name users by their record names.
    private mutating func users(_ key: StaticString) throws(WireFault) -> [UserName] {
        var users: [UserName] = []
        try elements(key) { scanner throws(WireFault) in
            guard scanner.peek() == UInt8(ascii: "{") else { throw scanner.wrongKind(key, "an array of dictionaries") }
            var user: UserName?
            try scanner.open(UInt8(ascii: "{"))
            var isFirst = true
            while let member = try scanner.nextKey(isFirst: &isFirst) {
                if scanner.matches(member, "userRecordName") {
                    user = try scanner.user()
                } else {
                    try scanner.skipValue()
                }
            }
            guard let user else { throw .content(.missingKey("\(key).userRecordName")) }
            users.append(user)
        }
        return users
    }

    private mutating func role() throws(WireFault) -> ParticipantRole? {
        guard let word = try optionalString("type") else { return nil }
        guard let role = ParticipantRole(wireName: word) else {
            throw .content(
                .shareFieldInvalid("type", word, expected: "OWNER, ADMINISTRATOR, USER or PUBLIC_USER"))
        }
        return role
    }

    /// Scans a user identity: the user's record name, or the email address or record name by which to look up the user.
    private mutating func identity(of participant: inout WireParticipant) throws(WireFault) {
        if try skipNull() { return }
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("userIdentity", "a dictionary") }
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "userRecordName") {
                participant.user = try user() ?? participant.user
            } else if matches(key, "lookupInfo") {
                if try skipNull() { continue }
                guard peek() == UInt8(ascii: "{") else { throw wrongKind("lookupInfo", "a dictionary") }
                try lookupInfo(of: &participant)
            } else {
                try skipValue()
            }
        }
    }

    private mutating func lookupInfo(of participant: inout WireParticipant) throws(WireFault) {
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "emailAddress") {
                participant.email = try optionalString("emailAddress") ?? participant.email
            } else if matches(key, "userRecordName") {
                participant.user = try user() ?? participant.user
            } else {
                try skipValue()
            }
        }
    }

    private mutating func user() throws(WireFault) -> UserName? {
        guard let name = try optionalString("userRecordName") else { return nil }
        do {
            return try UserName(validating: name)
        } catch {
            throw .content(ServerError(error, field: "userRecordName"))
        }
    }
}
