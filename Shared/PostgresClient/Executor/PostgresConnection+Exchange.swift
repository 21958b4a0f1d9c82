import Synchronization

/// Sends operations and receives their answers.
extension PostgresConnection {
    /// Sends as much of an operation as fits in the window. Returns `false` if the connection was closed because of an
    /// error.
    func send(_ operation: ConnectionOperation, on handle: ConnectionHandle) -> Bool {
        let isTaken: Bool
        switch operation.work {
        case .script(let script):
            operation.steps.append(.script)
            operation.isSent = true
            isTaken = handle.sendScript(script)
        case .calls(let calls):
            isTaken = send(calls, of: operation, on: handle)
        case .stream(let call):
            isTaken = send([call], of: operation, on: handle)
        }
        if !isTaken {
            // libpq refuses to send if memory is exhausted, a string contains a zero byte, or the connection is lost.
            close(because: PostgresError(handle.isBad ? .connectionLost : .unexpected, message: handle.message))
        }
        return isTaken
    }

    private func send(
        _ calls: [PostgresCall], of operation: ConnectionOperation, on handle: ConnectionHandle
    ) -> Bool {
        if operation.nextCall == 0, !sendHousekeeping(operation, on: handle) { return false }
        var windowBytes = 0
        while operation.nextCall < calls.count {
            let call = calls[operation.nextCall]
            guard send(call, of: operation, on: handle) else { return false }
            operation.nextCall += 1
            windowBytes += parameterBuffer.byteCount + 64
            if parameterBuffer.byteCount > Self.maxKeptBytes { isOutgrown.store(true, ordering: .relaxed) }
            parameterBuffer.shrink()
            if windowBytes > Self.sendWindowBytes {
                // If the flush fails here, it fails again in `advance()`, which handles the failure.
                guard handle.flush() == .done else { return true }
                windowBytes = 0
            }
        }
        operation.steps.append(.sync)
        operation.isSent = true
        return handle.sendSync()
    }

    /// Deallocates retired statements. A separate sync follows, so that a failure of these steps does not fail the
    /// operation.
    private func sendHousekeeping(_ operation: ConnectionOperation, on handle: ConnectionHandle) -> Bool {
        guard !statements.retired.isEmpty, handle.transaction != .failed else { return true }
        parameterBuffer.fill([])
        for name in statements.takeRetired() {
            operation.steps.append(.deallocate(name: name))
            guard handle.sendQuery(sql: "deallocate \(name)", types: [], parameterBuffer) else { return false }
        }
        operation.steps.append(.housekeepingSync)
        return handle.sendSync()
    }

    private func send(_ call: PostgresCall, of operation: ConnectionOperation, on handle: ConnectionHandle) -> Bool {
        let index = operation.nextCall
        let types = call.parameters.map(\.type)
        parameterBuffer.fill(call.parameters)
        guard call.statement.isPrepared else {
            operation.steps.append(.execute(nil, call: index))
            return handle.sendQuery(sql: call.statement.sql, types: types, parameterBuffer)
        }
        let key = StatementCache.Key(sql: call.statement.sql, types: types)
        let name: String
        switch statements.use(key) {
        case .prepared(let known):
            name = known
        case .new(let made):
            name = made
            operation.steps.append(.prepare(key, call: index))
            guard handle.sendPrepare(name: name, sql: key.sql, types: types) else { return false }
        case .unprepared:
            operation.steps.append(.execute(nil, call: index))
            return handle.sendQuery(sql: call.statement.sql, types: types, parameterBuffer)
        }
        operation.steps.append(.execute(key, call: index))
        return handle.sendExecute(name: name, parameterBuffer)
    }

    /// Processes the results that have arrived.
    func receive(_ operation: ConnectionOperation, from handle: ConnectionHandle) {
        while operation.answeredSteps < operation.steps.count {
            let step = operation.steps[operation.answeredSteps]
            if operation.isStream {
                if operation.isAbandoned { operation.rows = [] }
                if operation.rows.count >= Self.streamRows { break }
                // Has no effect if the mode is already enabled or the next answer belongs to another step.
                if case .execute = step { _ = handle.enterSingleRowMode() }
            }
            if handle.isBusy { break }
            if let result = handle.nextResult() {
                take(result, for: step, of: operation)
            } else {
                // The absence of a result marks the end of one statement's results. A sync always has a result, so if
                // there is none, the connection is broken.
                switch step {
                case .sync, .housekeepingSync:
                    return close(because: PostgresError(.connectionLost, message: handle.message))
                default:
                    operation.answeredSteps += 1
                }
            }
            guard closeError == nil else { return }
        }
        if !operation.rows.isEmpty { operation.resumeRowWaiter() }
    }

    private func take(_ result: ResultHandle, for step: ConnectionOperation.Step, of operation: ConnectionOperation) {
        switch result.kind {
        case .sync:
            operation.answeredSteps += 1
        case .singleRow:
            if !operation.isAbandoned { operation.rows.append(PostgresRow(handle: result, index: 0)) }
        case .complete:
            guard case .execute = step else { break }
            // In single-row mode, this result marks the end and contains no rows.
            if operation.isStream {
                operation.rows += PostgresResult(result)
            } else {
                operation.results.append(PostgresResult(result))
            }
        case .skipped:
            fail(step, of: operation, with: nil)
        case .error:
            fail(step, of: operation, with: result.error())
        case .copy:
            close(because: PostgresError(.unexpected, message: "copy is not supported"))
        }
    }

    /// Records the failure of a step. `error` is `nil` for a step that was skipped because of an earlier failure.
    private func fail(
        _ step: ConnectionOperation.Step, of operation: ConnectionOperation, with error: PostgresError?
    ) {
        switch step {
        case .deallocate(let name):
            if error?.sqlState != .invalidStatementName { statements.restoreRetired(name) }
        case .prepare(let key, let call):
            statements.forget(key)
            if let error { operation.fail(describe(error, call: call, of: operation)) }
        case .execute(let key, let call):
            guard let error else { break }
            if let key, error.isStaleStatement {
                if error.sqlState == .invalidStatementName { statements.forget(key) } else { statements.retire(key) }
            }
            operation.fail(describe(error, call: call, of: operation))
        case .script, .sync, .housekeepingSync:
            if let error { operation.fail(error) }
        }
    }

    private func describe(_ error: PostgresError, call: Int, of operation: ConnectionOperation) -> PostgresError {
        let isOurCancel = operation.isCancelRequested && error.sqlState == .queryCanceled
        var error = isOurCancel ? error.asCancelled : error
        error.callIndex = call
        error.statement = operation.calls[call].statement.sql
        return error
    }
}
