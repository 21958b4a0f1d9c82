internal import AMQPClient
internal import Foundation
internal import SubscriptionStorage

/// Something that a lane has to deal with.
enum ShardInput: Sendable {
    /// Changes, off the shard's queue.
    case deliveries([AMQPDelivery])
    /// Cursors were to be moved, and those of these zones were.
    case moved([CursorTable.Move], Set<UUID>)
    /// A cursor could not be moved, and stands where it stood.
    case unmoved(CursorTable.Move)
    /// The time given to the gap after that number of that zone is over.
    case waited(UUID, after: Int64)
    /// The time that a zone was to be left alone is over.
    case rested(UUID)
    /// What the log had for a zone.
    case read(UUID, Result<ChangeLogClient.Page, any Error>)
    /// How far a zone's delivery of its own came, by the delivery's number; nil: it failed.
    case delivered(UUID, delivery: Int, Notifier.Outcome?)
    /// There is something left to do.
    case again
}
