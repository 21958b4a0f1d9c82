extension CKContainer {
    /// Fetches participants for shares.
    public func shareParticipants(
        for lookupInfos: [CKUserIdentity.LookupInfo]
    ) async throws -> [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] {
        let results = Locked<[CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>]>([:])
        let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: lookupInfos)
        operation.perShareParticipantResultBlock = { info, result in results.withLock { $0[info] = result } }
        try await run(operation) { $0.fetchShareParticipantsResultBlock = $1 }
        return results.copy
    }

    /// Fetches participants by names of one kind.
    fileprivate func participants<Key: Hashable>(
        _ keys: [Key], _ info: (Key) -> CKUserIdentity.LookupInfo
    ) async throws -> [Key: Result<CKShare.Participant, any Error>] {
        let byInfo = Dictionary(keys.map { (info($0), $0) }, uniquingKeysWith: { first, _ in first })
        let results = try await shareParticipants(for: Array(byInfo.keys))
        return Dictionary(
            results.compactMap { info, result in byInfo[info].map { ($0, result) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Fetches the participant with one name.
    fileprivate func participant(_ info: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
        guard let result = try await shareParticipants(for: [info])[info] else {
            throw CKError.unexpectedAnswer("it has no result for the participant")
        }
        return try result.get()
    }
}

/// By email addresses.
extension CKContainer {
    /// Fetches the participants with some email addresses.
    @preconcurrency
    public func fetchShareParticipants(
        forEmailAddresses emails: [String],
        completionHandler:
            @escaping @Sendable (
                Result<[String: Result<CKShare.Participant, any Error>], any Error>
            ) -> Void
    ) {
        answer({ try await $0.shareParticipants(forEmailAddresses: emails) }, to: completionHandler)
    }

    /// Fetches the participants with some email addresses.
    public func shareParticipants(
        forEmailAddresses emails: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await participants(emails) { CKUserIdentity.LookupInfo(emailAddress: $0) }
    }

    /// Fetches the participant with an email address.
    @preconcurrency
    public func fetchShareParticipant(
        withEmailAddress email: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        answer({ try await $0.shareParticipant(forEmailAddress: email) }, to: completionHandler)
    }

    /// Fetches the participant with an email address.
    public func shareParticipant(forEmailAddress email: String) async throws -> CKShare.Participant {
        try await participant(CKUserIdentity.LookupInfo(emailAddress: email))
    }
}

/// By phone numbers.
extension CKContainer {
    /// Fetches the participants with some phone numbers.
    @preconcurrency
    public func fetchShareParticipants(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler:
            @escaping @Sendable (
                Result<[String: Result<CKShare.Participant, any Error>], any Error>
            ) -> Void
    ) {
        answer({ try await $0.shareParticipants(forPhoneNumbers: phoneNumbers) }, to: completionHandler)
    }

    /// Fetches the participants with some phone numbers.
    public func shareParticipants(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await participants(phoneNumbers) { CKUserIdentity.LookupInfo(phoneNumber: $0) }
    }

    /// Fetches the participant with a phone number.
    @preconcurrency
    public func fetchShareParticipant(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        answer({ try await $0.shareParticipant(forPhoneNumber: phoneNumber) }, to: completionHandler)
    }

    /// Fetches the participant with a phone number.
    public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> CKShare.Participant {
        try await participant(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
    }
}

/// By record IDs of users.
extension CKContainer {
    /// Fetches the participants with some record IDs of users.
    @preconcurrency
    public func fetchShareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler:
            @escaping @Sendable (
                Result<[CKRecord.ID: Result<CKShare.Participant, any Error>], any Error>
            ) -> Void
    ) {
        answer({ try await $0.shareParticipants(forUserRecordIDs: userRecordIDs) }, to: completionHandler)
    }

    /// Fetches the participants with some record IDs of users.
    public func shareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
        try await participants(userRecordIDs) { CKUserIdentity.LookupInfo(userRecordID: $0) }
    }

    /// Fetches the participant with the record ID of a user.
    @preconcurrency
    public func fetchShareParticipant(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        answer({ try await $0.shareParticipant(forUserRecordID: userRecordID) }, to: completionHandler)
    }

    /// Fetches the participant with the record ID of a user.
    public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKShare.Participant {
        try await participant(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
    }
}
