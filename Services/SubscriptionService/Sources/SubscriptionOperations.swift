internal import CloudKitModel
internal import RequestServing
internal import ServiceMessages

/// The operations of the service, except replays, which have their own queue and workers.
struct SubscriptionOperations: Sendable {
    private let router: OperationRouter
    private let retry: DatabaseRetry

    init(
        modify: SubscriptionsModifyOperation, list: SubscriptionsListOperation, badges: BadgesOperation,
        states: SubscriptionStatesOperation, test: SubscriptionsTestOperation, tokens: TokensOperations,
        forget: ForgetOperation, consumers: ConsumerOperations, retry: DatabaseRetry
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
        self.retry = retry
    }

    /// Executes a request and returns its answer, or nil if the service is shutting down. While the database is
    /// unavailable, the request is retried until the deadline.
    func answer(_ request: OpenedRequest) async -> Answer? {
        await router.answer(request, retry: retry, failingWith: ServiceStopping.self)
    }

    /// Returns a handler that refuses requests without a user.
    private static func ofUsers(_ handler: @escaping OperationRouter.Handler) -> OperationRouter.Handler {
        { request in
            guard request.context.user != RequestContext.world else {
                throw ServerError(.authenticationRequired, "request needs authorization", field: Header.user)
            }
            return try await handler(request)
        }
    }
}
