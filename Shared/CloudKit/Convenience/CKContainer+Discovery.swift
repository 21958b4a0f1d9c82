extension CKContainer {
    /// Fetches the users in the user's address book. A server without address books finds none.
    @available(
        macOS, introduced: 10.12, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    @preconcurrency
    public func discoverAllIdentities(
        completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
    ) {
        answer({ try await $0.discoveredAll() }, to: completionHandler)
    }

    /// Fetches the users in the user's address book. A server without address books finds none.
    @available(
        macOS, introduced: 10.12, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] { try await discoveredAll() }

    private func discoveredAll() async throws -> [CKUserIdentity] {
        let identities = Locked<[CKUserIdentity]>([])
        let operation = CKDiscoverAllUserIdentitiesOperation()
        operation.userIdentityDiscoveredBlock = { identity in identities.withLock { $0.append(identity) } }
        try await run(operation) { $0.discoverAllUserIdentitiesResultBlock = $1 }
        return identities.copy
    }

    /// Fetches the users that the server knows under some names.
    fileprivate func discovered<Key: Hashable>(
        _ keys: [Key], _ info: (Key) -> CKUserIdentity.LookupInfo
    ) async throws -> [Key: CKUserIdentity] {
        let byInfo = Dictionary(keys.map { (info($0), $0) }, uniquingKeysWith: { first, _ in first })
        let found = Locked<[CKUserIdentity.LookupInfo: CKUserIdentity]>([:])
        let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: Array(byInfo.keys))
        operation.userIdentityDiscoveredBlock = { identity, info in found.withLock { $0[info] = identity } }
        try await run(operation) { $0.discoverUserIdentitiesResultBlock = $1 }
        return Dictionary(
            found.copy.compactMap { info, identity in byInfo[info].map { ($0, identity) } },
            uniquingKeysWith: { first, _ in first })
    }
}

/// By email addresses.
extension CKContainer {
    /// Fetches the users with some email addresses. Users whom the server does not know are omitted.
    @available(
        macOS, introduced: 12.0, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    @preconcurrency
    public func discoverUserIdentities(
        forEmailAddresses emails: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        answer(
            { try await $0.discovered(emails) { CKUserIdentity.LookupInfo(emailAddress: $0) } }, to: completionHandler)
    }

    /// Fetches the users with some email addresses. Users whom the server does not know are omitted.
    @available(
        macOS, introduced: 12.0, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    public func userIdentities(forEmailAddresses emails: [String]) async throws -> [String: CKUserIdentity] {
        try await discovered(emails) { CKUserIdentity.LookupInfo(emailAddress: $0) }
    }

    /// Fetches the user with an email address.
    @available(
        macOS, introduced: 10.12, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    @preconcurrency
    public func discoverUserIdentity(
        withEmailAddress email: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        answer({ try await $0.discovered([email]) { CKUserIdentity.LookupInfo(emailAddress: $0) }[email] }) {
            identity, error in
            completionHandler(identity ?? nil, error)
        }
    }

    /// Fetches the user with an email address; nil if the server knows none.
    @available(
        macOS, introduced: 10.12, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
        try await discovered([email]) { CKUserIdentity.LookupInfo(emailAddress: $0) }[email]
    }
}

/// By phone numbers.
extension CKContainer {
    /// Fetches the users with some phone numbers. Users whom the server does not know are omitted.
    @available(
        macOS, introduced: 12.0, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    @preconcurrency
    public func discoverUserIdentities(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        answer(
            { try await $0.discovered(phoneNumbers) { CKUserIdentity.LookupInfo(phoneNumber: $0) } },
            to: completionHandler)
    }

    /// Fetches the users with some phone numbers. Users whom the server does not know are omitted.
    @available(
        macOS, introduced: 12.0, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    public func userIdentities(forPhoneNumbers phoneNumbers: [String]) async throws -> [String: CKUserIdentity] {
        try await discovered(phoneNumbers) { CKUserIdentity.LookupInfo(phoneNumber: $0) }
    }

    /// Fetches the user with a phone number.
    @available(
        macOS, introduced: 10.12, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    @preconcurrency
    public func discoverUserIdentity(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        answer({ try await $0.discovered([phoneNumber]) { CKUserIdentity.LookupInfo(phoneNumber: $0) }[phoneNumber] }) {
            identity, error in
            completionHandler(identity ?? nil, error)
        }
    }

    /// Fetches the user with a phone number; nil if the server knows none.
    @available(
        macOS, introduced: 10.12, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
        try await discovered([phoneNumber]) { CKUserIdentity.LookupInfo(phoneNumber: $0) }[phoneNumber]
    }
}

/// By record IDs of users.
extension CKContainer {
    /// Fetches the users with some record IDs of users. Users whom the server does not know are omitted.
    @available(
        macOS, introduced: 12.0, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    @preconcurrency
    public func discoverUserIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
    ) {
        answer(
            { try await $0.discovered(userRecordIDs) { CKUserIdentity.LookupInfo(userRecordID: $0) } },
            to: completionHandler)
    }

    /// Fetches the users with some record IDs of users. Users whom the server does not know are omitted.
    @available(
        macOS, introduced: 12.0, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    public func userIdentities(forUserRecordIDs userRecordIDs: [CKRecord.ID]) async throws -> [CKRecord.ID:
        CKUserIdentity]
    {
        try await discovered(userRecordIDs) { CKUserIdentity.LookupInfo(userRecordID: $0) }
    }

    /// Fetches the user with the record ID of a user.
    @available(
        macOS, introduced: 10.12, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    @preconcurrency
    public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        answer({ try await $0.discovered([userRecordID]) { CKUserIdentity.LookupInfo(userRecordID: $0) }[userRecordID] }
        ) { identity, error in
            completionHandler(identity ?? nil, error)
        }
    }

    /// Fetches the user with the record ID of a user; nil if the server knows none.
    @available(
        macOS, introduced: 10.12, deprecated: 14.0,
        message: "No longer supported. Please see Sharing CloudKit Data with Other iCloud Users."
    )
    public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
        try await discovered([userRecordID]) { CKUserIdentity.LookupInfo(userRecordID: $0) }[userRecordID]
    }
}
