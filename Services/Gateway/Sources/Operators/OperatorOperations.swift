internal import RequestServing
internal import ServiceMessages

/// Answers an operator's request by its operation; trouble with the database is outlasted until the deadline.
struct OperatorOperations: Sendable {
    private let router: OperationRouter
    private let trouble: DatabaseTrouble

    /// Operations over those accounts.
    init(accounts: AccountStore, ledger: RequestLedger, containers: ContainerCheck, trouble: DatabaseTrouble) {
        let users = AccountOperations(accounts: accounts, ledger: ledger, containers: containers)
        let apiTokens = APITokenOperations(accounts: accounts, ledger: ledger, containers: containers)
        let serverKeys = ServerKeyOperations(accounts: accounts, ledger: ledger, containers: containers)
        router = OperationRouter(
            .gateway,
            [
                .usersCreate: users.create,
                .usersList: users.list,
                .usersToken: users.token,
                .usersSignIns: users.signIns,
                .usersPassword: users.password,
                .usersSignOut: users.signOut,
                .usersDelete: users.delete,
                .apiTokensCreate: apiTokens.create,
                .apiTokensList: apiTokens.list,
                .apiTokensRevoke: apiTokens.revoke,
                .serverKeysAdd: serverKeys.add,
                .serverKeysList: serverKeys.list,
                .serverKeysRevoke: serverKeys.revoke,
            ])
        self.trouble = trouble
    }

    /// The answer; nil when the gateway is ending.
    func answer(_ request: OpenedRequest) async -> Answer? {
        await router.answer(request, outlasting: trouble, failingWith: Withheld.self)
    }
}
