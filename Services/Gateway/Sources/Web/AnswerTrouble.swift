internal import CloudKitModel
internal import Logging
internal import PostgresClient
internal import RequestServing

/// What a request is answered with when one of the parts throws. What nobody expected is logged, and told as an
/// `INTERNAL_ERROR` without detail.
struct AnswerTrouble: Sendable {
    /// Knows which of the database's errors are only for a while.
    let database: DatabaseRetry
    let logger: Logger

    /// The error's answer.
    func answer(to error: any Error, _ requestID: String) -> GatewayAnswer {
        switch error {
        case let refusal as Refusal:
            return GatewayAnswer(refusal.error, requestID: requestID, redirectURL: refusal.redirectURL)
        case let error as ServerError:
            return GatewayAnswer(error, requestID: requestID)
        case is ServiceStopping, is CancellationError:
            return GatewayAnswer(.gatewayEnding(), requestID: requestID)
        default: return GatewayAnswer(serverError(of: error), requestID: requestID)
        }
    }

    private func serverError(of error: any Error) -> ServerError {
        switch database.classify(error) {
        case .retry:
            logger.warning("the database is unavailable", metadata: ["error": "\(error)"])
            return ServerError(.databaseAway, "The database is temporarily unavailable")
        case .stop: return .gatewayEnding()
        case .fail:
            logger.error("a request failed unexpectedly", metadata: ["error": "\(error.logDescription)"])
            return .internalError()
        }
    }
}

extension ServerError {
    /// The process stops; another instance may be there.
    static func gatewayEnding() -> ServerError { ServerError(.serviceEnding, "The gateway is stopping") }
}
