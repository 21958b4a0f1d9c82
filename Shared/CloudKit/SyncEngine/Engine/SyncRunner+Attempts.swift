extension SyncRunner {
    /// Fetches changes.
    func fetch(_ context: CKSyncEngine.FetchChangesContext) async throws(CKError) {
        try await checkAccount()
        var machine = FetchMachine(context)
        try await handOver([machine.beginning])
        while true {
            let options = try await turn { await $1.nextFetchChangesOptions(context, syncEngine: $0) }
            let step = state.content.withLock { machine.next($0, options) }
            switch step {
            case .done:
                try await handOver(machine.ending())
                if let error = machine.error { throw error }
                return
            case .databaseChanges(let token):
                do throws(CKError) {
                    try refuseCancelled()
                    let page = try await transport.databaseChanges(token, options.operationGroup)
                    try refuseLoop(page.moreComing, token, page.token)
                    try await handOver(machine.receive(page, state.content.copy))
                } catch {
                    try await handOver(machine.receiveDatabaseError(error))
                }
            case .zoneChanges(let zone, let token):
                try await handOver(machine.begin(zone))
                do throws(CKError) {
                    try refuseCancelled()
                    let page = try await transport.zoneChanges(zone, token, options.operationGroup)
                    try refuseLoop(page.moreComing, token, page.token)
                    try await handOver(machine.receive(page, of: zone))
                } catch {
                    try await handOver(machine.receive(error, of: zone))
                }
            }
        }
    }

    /// Sends changes. Calls `progressed` if something was saved or deleted.
    func send(_ context: CKSyncEngine.SendChangesContext, _ progressed: @Sendable () -> Void) async throws(CKError) {
        try await checkAccount()
        let group = context.options.operationGroup
        var machine = SendMachine(context)
        try await handOver([machine.beginning])
        while true {
            let step = state.content.withLock { machine.next($0) }
            switch step {
            case .done:
                try await handOver([machine.ending])
                if machine.hasProgress { progressed() }
                if let error = machine.error { throw error }
                return
            case .modifyZones(let saves, let deletes):
                let answer = await answer { () async throws(CKError) in
                    try await transport.modifyZones(saves, deletes, group)
                }
                try await handOver(machine.receive(answer, saving: saves, deleting: deletes))
            case .askForBatch:
                let batch = try await turn { await $1.nextRecordZoneChangeBatch(context, syncEngine: $0) }
                try await handOver(machine.receive(batch))
            case .modifyRecords(let batch):
                let answer = await answer { () async throws(CKError) in
                    try await transport.modifyRecords(batch, group)
                }
                try await handOver(machine.receive(answer))
            }
        }
    }

    private func answer<Value>(
        _ request: () async throws(CKError) -> Value
    ) async -> Result<Value, CKError> {
        do throws(CKError) {
            try refuseCancelled()
            return .success(try await request())
        } catch {
            return .failure(error)
        }
    }

    private func refuseCancelled() throws(CKError) {
        if Task.isCancelled { throw CKError(.operationCancelled) }
    }

    /// A page that is not the last must end at another position than it began.
    private func refuseLoop(_ moreComing: Bool, _ old: String?, _ new: String) throws(CKError) {
        guard moreComing, old == new else { return }
        throw CKError(.internalError, "The server announces more changes, but its change token does not advance.")
    }
}
