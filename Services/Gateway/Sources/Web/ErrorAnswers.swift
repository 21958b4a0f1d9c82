internal import CloudKitModel
internal import Logging
internal import PostgresClient
internal import RequestServing

/// Turns the errors of the gateway's parts into responses. An unexpected error is logged; its response is
/// `INTERNAL_ERROR` without details.
struct ErrorAnswers: Sendable {
    /// The classification of database errors.
    let database: DatabaseRetry
    let logger: Logger

    /// Returns the response to a request that failed with `error`.
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
    /// Returns the error for a request to a process that is stopping. A retry might reach another instance.
    static func gatewayEnding() -> ServerError { ServerError(.serviceEnding, "The gateway is stopping") }
}
