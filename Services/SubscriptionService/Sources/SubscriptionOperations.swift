internal import CloudKitModel
internal import RequestServing
internal import ServiceMessages

/// Answers a request by its operation.
struct SubscriptionOperations: Sendable {
    private let router: OperationRouter
    private let trouble: DatabaseTrouble

    init(
        modify: SubscriptionsModifyOperation, list: SubscriptionsListOperation, badges: BadgesOperation,
        states: SubscriptionStatesOperation, test: SubscriptionsTestOperation, tokens: TokensOperations,
        forget: ForgetOperation, consumers: ConsumerOperations, trouble: DatabaseTrouble
    ) {
        router = OperationRouter(
            .subscription, except: [.notificationsReplay],
            [
                .subscriptionsModify: Self.ofUsers(modify.answer),
                .subscriptionsList: Self.ofUsers(list.list),
                .subscriptionsLookup: Self.ofUsers(list.lookup),
                .badgesSet: Self.ofUsers(badges.answer),
                .tokensCreate: Self.ofUsers(tokens.create),
                .tokensRegister: Self.ofUsers(tokens.register),
                .tokensStatus: Self.ofUsers(tokens.status),
                .subscriptionsStates: states.answer,
                .subscriptionsTest: test.answer,
                .consumersGrant: consumers.grant,
                .consumersList: consumers.list,
                .consumersRevoke: consumers.revoke,
                .clientsForget: forget.answer,
            ])
        self.trouble = trouble
    }

    /// The answer; nil when the service is ending. A database that is away is outlasted until the deadline.
    func answer(_ request: OpenedRequest) async -> Answer? {
        await router.answer(request, outlasting: trouble, failingWith: Withheld.self)
    }

    /// Refuses requests without a user.
    private static func ofUsers(_ handler: @escaping OperationRouter.Handler) -> OperationRouter.Handler {
        { request in
            guard request.context.user != RequestContext.world else {
                throw ServerError(.authenticationRequired, "request needs authorization", field: Header.user)
            }
            return try await handler(request)
        }
    }
}
