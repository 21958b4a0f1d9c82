internal import Synchronization

extension SyncRunner {
    /// Finds out who is signed in, unless that is known, and hands over a change.
    ///
    /// - Throws: ``CKError/Code/notAuthenticated`` if no user is signed in; the error of the request.
    func checkAccount() async throws(CKError) {
        let generation = inner.withLock { $0.accountGeneration }
        guard inner.withLock({ $0.checkedGeneration }) != generation else { return }
        let account = try await transport.account()
        let known = state.content.withLock { $0.user }
        func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name) }
        switch (known, account) {
        case (nil, .none):
            throw CKError(.notAuthenticated, "No user is signed in.")
        case (let known?, .none):
            try await handOver(.signOut(previousUser: id(known)), nil)
            throw CKError(.notAuthenticated, "The user has signed out.")
        case (nil, .user(let user)):
            try await handOver(.signIn(currentUser: id(user)), user)
        case (let known?, .user(let user)):
            if known != user {
                try await handOver(.switchAccounts(previousUser: id(known), currentUser: id(user)), user)
            }
        }
        inner.withLock { $0.checkedGeneration = generation }
    }

    private func handOver(
        _ type: CKSyncEngine.Event.AccountChange.ChangeType, _ user: String?
    ) async throws(CKError) {
        try await handOver([
            HandOver(before: [.changedAccount(user)], event: .accountChange(.init(changeType: type)))
        ])
    }

    /// Another user may be signed in. Attempts that run end, so that no change of the former user is sent in the name of
    /// the new one.
    func accountMayHaveChanged() {
        inner.withLock { inner in
            inner.accountGeneration += 1
            for attempt in inner.attempts.values { attempt.cancel() }
        }
        guard isAutomatic else { return }
        restartListener()
        beginAgain()
    }
}
