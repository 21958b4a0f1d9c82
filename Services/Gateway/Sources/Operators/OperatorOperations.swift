internal import GatewayStorage
internal import RequestServing
internal import ServiceMessages

/// Answers operators' requests. While the database is unavailable, a request is retried until its deadline.
struct OperatorOperations: Sendable {
    private let router: OperationRouter
    private let retry: DatabaseRetry

    /// Creates the operations on `accounts`.
    ///
    /// - Parameter passwordCost: the cost of new password hashes; see ``PasswordHash/usualCost``.
    init(
        accounts: AccountStore, passwordCost: Int, ledger: RequestLedger, containers: ContainerCheck,
        retry: DatabaseRetry
    ) {
        let users = AccountOperations(
            accounts: accounts, ledger: ledger, containers: containers, passwordCost: passwordCost)
        let signIns = SignInOperations(accounts: accounts, ledger: ledger, containers: containers)
        let apiTokens = APITokenOperations(accounts: accounts, ledger: ledger, containers: containers)
        let serverKeys = ServerKeyOperations(accounts: accounts, ledger: ledger, containers: containers)
        router = OperationRouter(
            .gateway,
            [
                .usersCreate: users.create,
                .usersList: users.list,
                .usersToken: signIns.token,
                .usersSignIns: signIns.list,
                .usersPassword: users.password,
                .usersSignOut: signIns.signOut,
                .usersDelete: users.delete,
                .apiTokensCreate: apiTokens.create,
                .apiTokensList: apiTokens.list,
                .apiTokensRevoke: apiTokens.revoke,
                .serverKeysAdd: serverKeys.add,
                .serverKeysList: serverKeys.list,
                .serverKeysRevoke: serverKeys.revoke,
            ])
        self.retry = retry
    }

    /// Returns the answer; nil if the gateway is stopping.
    func answer(_ request: OpenedRequest) async -> Answer? {
        await router.answer(request, retry: retry, failingWith: ServiceStopping.self)
    }
}
