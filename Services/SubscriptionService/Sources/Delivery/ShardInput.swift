internal import AMQPClient
internal import Foundation
internal import SubscriptionStorage

/// An input of a shard's lane.
enum ShardInput: Sendable {
    /// Change events from the shard's queue.
    case deliveries([AMQPDelivery])
    /// Completed attempts to move cursors, and the incarnations whose cursors were moved.
    case moved([CursorTable.Move], Set<UUID>)
    /// A move that failed. The cursor is still at its old position.
    case unmoved(CursorTable.Move)
    /// The wait for the change that follows change `after` in a zone has ended.
    case gapWaitEnded(UUID, after: Int64)
    /// The pause of a zone has ended.
    case backOffEnded(UUID)
    /// The changes of a zone that were read from the change log.
    case logRead(UUID, Result<ChangeLogClient.Page, any Error>)
    /// The current turn of a costly zone's delivery, with its number, has notified everyone except participants.
    case announced(delivery: Int)
    /// The result of a costly zone's delivery, with the delivery's number. The result is nil if the delivery failed.
    case costlyDelivered(UUID, delivery: Int, Notifier.Outcome?)
    /// The previous round failed and must be retried.
    case retry
}
