internal import CloudKitModel
internal import RequestServing
internal import ServiceMessages

/// Answers a request by its operation; trouble with the database is outlasted until the deadline.
struct SubscriptionOperations: Sendable {
    let modify: SubscriptionsModifyOperation
    let list: SubscriptionsListOperation
    let badges: BadgesOperation
    let states: SubscriptionStatesOperation
    let test: SubscriptionsTestOperation
    let tokens: TokensOperations
    let forget: ForgetOperation
    let consumers: ConsumerOperations
    let trouble: DatabaseTrouble

    /// The answer; nil when the service is ending.
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
        if let answer = try await consumers.answer(request) { return answer }
        // What is not scoped is an operator's.
        guard request.context.user != RequestContext.world || !request.operation.isScoped else {
            throw ServerError(.authenticationRequired, "request needs authorization", field: Header.user)
        }
        return switch request.operation {
        case .subscriptionsModify: try await modify.answer(request)
        case .badgesSet: try await badges.answer(request)
        case .subscriptionsStates: try await states.answer(request)
        case .subscriptionsTest: try await test.answer(request)
        case .subscriptionsList: try await list.list(request)
        case .subscriptionsLookup: try await list.lookup(request)
        case .tokensCreate: try await tokens.create(request)
        case .tokensRegister: try await tokens.register(request)
        case .tokensStatus: try await tokens.status(request)
        case .clientsForget: try await forget.answer(request)
        default: throw ServerError.operationUnknown(request.operation.rawValue)
        }
    }
}
