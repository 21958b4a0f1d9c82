internal import CloudKitModel

extension CKContainer {
    /// Finds out whether a user is signed in.
    @preconcurrency
    public func accountStatus(completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void) {
        answer {
            try await $0.accountStatus()
        } to: { status, error in
            completionHandler(status ?? .couldNotDetermine, error)
        }
    }

    /// Finds out whether a user is signed in.
    ///
    /// A session counts until the server refuses it, so that a user stays signed in while the server cannot be reached.
    /// With a server-to-server key, the account is available, but only for the public database.
    ///
    /// - Throws: the error of a configuration that is invalid.
    public func accountStatus() async throws -> CKAccountStatus {
        let connection: WebConnection
        do throws(CKError) {
            connection = try webConnection()
        } catch {
            guard error.code == .notAuthenticated else { throw error }
            return .noAccount
        }
        if let session = connection.session, session.account == .none { return .noAccount }
        do throws(CKError) {
            _ = try await connection.caller()
            return .available
        } catch {
            switch error.code {
            case .notAuthenticated: return .noAccount
            case .managedAccountRestricted: return .restricted
            case .accountTemporarilyUnavailable: return .temporarilyUnavailable
            case .badContainer, .operationCancelled: throw error
            default: return .available
            }
        }
    }

    /// Fetches the ID of the user's record.
    @preconcurrency
    public func fetchUserRecordID(completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void) {
        answer {
            try await $0.userRecordID()
        } to: {
            completionHandler($0, $1)
        }
    }

    /// Fetches the ID of the user's record.
    ///
    /// - Throws: ``CKError/Code/notAuthenticated`` if no user is signed in.
    public func userRecordID() async throws -> CKRecord.ID {
        CKRecord.ID(recordName: try await webConnection().caller())
    }

    /// Calls `work`, and passes its result to a completion handler on a queue of the system.
    func answer<Value: Sendable>(
        _ work: @escaping @Sendable (CKContainer) async throws -> Value,
        to completionHandler: @escaping @Sendable (Value?, (any Error)?) -> Void
    ) {
        Task { [self] in
            do {
                completionHandler(try await work(self), nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }
}
