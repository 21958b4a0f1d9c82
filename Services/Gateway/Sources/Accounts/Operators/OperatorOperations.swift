internal import CloudKitModel
internal import RequestServing
internal import ServiceMessages

/// Answers an operator's request by its operation; trouble with the database is outlasted until the deadline.
struct OperatorOperations: Sendable {
    let users: AccountOperations
    let apiTokens: APITokenOperations
    let serverKeys: ServerKeyOperations
    let trouble: DatabaseTrouble

    /// Operations over those accounts.
    init(accounts: AccountStore, ledger: RequestLedger, containers: ContainerCheck, trouble: DatabaseTrouble) {
        users = AccountOperations(accounts: accounts, ledger: ledger, containers: containers)
        apiTokens = APITokenOperations(accounts: accounts, ledger: ledger, containers: containers)
        serverKeys = ServerKeyOperations(accounts: accounts, ledger: ledger, containers: containers)
        self.trouble = trouble
    }

    /// The answer; nil when the gateway is ending.
    func answer(_ request: OpenedRequest) async -> Answer? {
        do {
            return try await trouble.outlast(deadline: request.context.deadline, failingWith: Withheld.self) {
                try await perform(request)
            }
        } catch let error as ServerError {
            return Answer(error: error, context: request.context)
        } catch {
            return nil
        }
    }

    private func perform(_ request: OpenedRequest) async throws -> Answer {
        switch request.operation {
        case .usersCreate: try await users.create(request)
        case .usersList: try await users.list(request)
        case .usersToken: try await users.token(request)
        case .usersSignIns: try await users.signIns(request)
        case .usersPassword: try await users.password(request)
        case .usersSignOut: try await users.signOut(request)
        case .usersDelete: try await users.delete(request)
        case .apiTokensCreate: try await apiTokens.create(request)
        case .apiTokensList: try await apiTokens.list(request)
        case .apiTokensRevoke: try await apiTokens.revoke(request)
        case .serverKeysAdd: try await serverKeys.add(request)
        case .serverKeysList: try await serverKeys.list(request)
        case .serverKeysRevoke: try await serverKeys.revoke(request)
        default: throw ServerError.operationUnknown(request.operation.rawValue)
        }
    }
}
