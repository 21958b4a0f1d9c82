internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import CoreMetrics
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// `notifications.replay`: returns past notifications of the zones that a consumer was granted.
///
/// The message's `user-id` identifies the consumer. RabbitMQ refuses messages whose `user-id` is not the name of the
/// publishing user.
struct ReplayOperation: Sendable {
    /// The number of pages that are read concurrently.
    static let workers = 2
    /// The maximum time for reading a page.
    private static let maxTime = Duration.seconds(5)

    let table: ConsumerTable
    let log: NotificationLog
    let retry: DatabaseRetry
    let metrics: SubscriptionMetrics

    /// Executes a request and returns its answer, or nil if the service is shutting down.
    func answer(_ request: OpenedRequest) async -> Answer? {
        do {
            return try await retry.run(deadline: request.context.deadline, failingWith: ServiceStopping.self) {
                try await replay(request)
            }
        } catch let error as ServerError {
            return Answer(error: error, context: request.context)
        } catch {
            return nil
        }
    }

    private func replay(_ request: OpenedRequest) async throws -> Answer {
        guard request.operation == .notificationsReplay else {
            throw ServerError.operationUnknown(request.operation.rawValue)
        }
        guard let user = request.delivery.properties.userID, !user.isEmpty else {
            throw ServerError(
                .authenticationRequired,
                "A replay requires the user-id message property, which the broker verifies",
                field: "user-id")
        }
        let now = SystemClock.milliseconds()
        let replay = try ReplayRequest(JSONValue(parsing: request.delivery.body), now: now)
        guard let grant = try await table.grant(ofBrokerUser: user) else {
            throw ServerError.accessDenied("The broker user '\(user)' has not been granted any zones")
        }
        for zone in replay.zones ?? [] where !grant.covers(grant.key(ofZone: zone)) {
            throw ServerError.accessDenied("The consumer '\(grant.consumer)' has not been granted zone '\(zone)'")
        }
        var page = ReplayPage(replay, grant: grant)
        let rest = request.context.deadline.map { Duration.milliseconds(max(1, ($0 - now) / 2)) } ?? Self.maxTime
        let hasMore = try await read(replay.start, into: &page, limit: min(rest, Self.maxTime))
        metrics.replays.increment()
        metrics.replayed.increment(by: page.notifications.count)
        return Answer { writer in
            writer.key("notifications")
            writer.array(page.notifications) { writer, notification in writer.raw(notification) }
            writer.member("after", page.marker.map { String($0) })
            writer.member("moreComing", hasMore)
            if page.isIncomplete { writer.member("incomplete", true) }
        }
    }

    private func read(
        _ start: ReplayRequest.Start, into page: inout ReplayPage, limit: Duration
    ) async throws -> Bool {
        do {
            return try await log.fill(&page, from: start, limit: limit)
        } catch let error as AMQPError where !error.isEnding && !Task.isCancelled {
            throw ServerError(.notificationLogAway, "The notification log is temporarily unavailable")
        } catch {
            throw ServiceStopping()
        }
    }
}
