internal import CloudKitModel
internal import CloudKitWire

/// An operation that makes participants of shares of what is known of persons.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    /// What is known of the persons.
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

    /// Called with each participant.
    open var perShareParticipantResultBlock:
        (
            (
                _ lookupInfo: CKUserIdentity.LookupInfo,
                _ shareParticipantResult: Result<CKShare.Participant, any Error>
            ) -> Void
        )?
    /// Called at the end. Errors of single persons are not errors of the operation.
    open var fetchShareParticipantsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each participant.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use perShareParticipantResultBlock instead")
    open var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
    /// Called at the end.
    @available(macOS, introduced: 10.12, deprecated: 12.0, message: "Use fetchShareParticipantsResultBlock instead")
    open var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

    private let errors = Locked(PartialErrors())

    /// Creates an operation without persons.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func perform() async throws(CKError) {
        let database = try webDatabase(.public, of: operationContainer)
        let directory = UserDirectory(database)
        for part in (userIdentityLookupInfos ?? []).unique.chunks(of: WebDatabase.maxPersons) {
            try checkCancellation()
            let found = try await directory.identities(of: part)
            for info in part { report(info, participant(info, found[info])) }
            await callbacks.drain()
        }
    }

    /// Anyone with an email address can be invited, whether or not the person is a user already. The server knows users
    /// by their record names, but not by phone numbers.
    private func participant(
        _ info: CKUserIdentity.LookupInfo, _ identity: CKUserIdentity?
    ) -> ItemResult<CKShare.Participant> {
        if let identity { return .success(CKShare.Participant(inviting: identity)) }
        guard info.emailAddress != nil else {
            return .failure(CKError(.unknownItem, "No user is known by \(info)."))
        }
        return .success(CKShare.Participant(inviting: CKUserIdentity(lookupInfo: info)))
    }

    private func report(_ info: CKUserIdentity.LookupInfo, _ result: ItemResult<CKShare.Participant>) {
        if let error = result.error { errors.withLock { $0.add(error, of: info) } }
        callbacks.post { [self] in
            perShareParticipantResultBlock?(info, result.erased)
            if case .success(let participant) = result { shareParticipantFetchedBlock?(participant) }
        }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        fetchShareParticipantsCompletionBlock?(error ?? errors.copy.failure("Failed to fetch some share participants"))
        fetchShareParticipantsResultBlock?(Result(failure: error))
        perShareParticipantResultBlock = nil
        fetchShareParticipantsResultBlock = nil
        shareParticipantFetchedBlock = nil
        fetchShareParticipantsCompletionBlock = nil
    }
}
