internal import CloudKitModel
internal import RequestServing
internal import ServiceMessages

/// Answers a request by its operation; trouble with the database is outlasted until the deadline.
struct SubscriptionOperations: Sendable {
    let modify: SubscriptionsModifyOperation
    let list: SubscriptionsListOperation
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
        guard request.context.user != RequestContext.world else {
            throw ServerError(.authenticationRequired, "request needs authorization", field: Header.user)
        }
        return switch request.operation {
        case .subscriptionsModify: try await modify.answer(request)
        case .subscriptionsList: try await list.list(request)
        case .subscriptionsLookup: try await list.lookup(request)
        default: throw ServerError.operationUnknown(request.operation.rawValue)
        }
    }
}
