internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import SubscriptionStorage

/// Moves the cursors for all lanes, one transaction at a time. Moves that are requested during a transaction are made
/// in the next one.
///
/// As a result, no lane waits for a commit before it publishes the next changes, and under load, many moves share a
/// commit. If the server refuses a transaction, each of its moves is made separately, concurrently with the next
/// transaction. Therefore, a row that is locked, or whose new value is refused, affects only its own zone.
final class CursorMover: Sendable {
    private struct Order: Sendable {
        var moves: [CursorTable.Move]
        var inputs: BatchQueue<ShardInput>
    }

    /// The error thrown when the server has refused a transaction.
    private struct Refused: Error {}

    /// The maximum number of connections for separate moves. The number is limited because these moves can wait for
    /// locks.
    private static let maxAlone = 4

    private let table: CursorTable
    private let retry: DatabaseRetry
    private let orders = BatchQueue<Order>()
    private let alone = AsyncSemaphore(permits: maxAlone)

    /// Creates a mover. It moves no cursor before ``run()`` is called.
    init(table: CursorTable, retry: DatabaseRetry) {
        self.table = table
        self.retry = retry
    }

    /// Requests moves, at most one for each incarnation. `inputs` receives ``ShardInput/moved(_:_:)`` or
    /// ``ShardInput/unmoved(_:)`` for each move, and does not end before it has received all of them.
    func move(_ moves: [CursorTable.Move], tell inputs: BatchQueue<ShardInput>) {
        inputs.expectAnswers(to: moves.count)
        orders.add(Order(moves: moves, inputs: inputs))
    }

    /// Ends ``run()`` once all moves requested so far have been made.
    func finish() { orders.finish() }

    /// Moves cursors until ``finish()`` is called.
    func run() async {
        await withDiscardingTaskGroup { group in
            while let orders = await orders.next() {
                do {
                    try await moveTogether(orders)
                } catch {
                    for order in orders {
                        for move in order.moves { group.addTask { await self.move(move, tell: order.inputs) } }
                    }
                }
            }
        }
    }

    /// Makes either all moves, in one transaction, or none.
    ///
    /// - Throws: ``Refused`` or `ServiceStopping`, before any lane has been answered.
    private func moveTogether(_ orders: [Order]) async throws {
        // A lane that lost its connection may have requested two moves for a zone. Only the later move is made.
        var moves: [UUID: CursorTable.Move] = [:]
        for move in orders.flatMap(\.moves) { moves[move.incarnation] = move }
        let moved = try await retry.run(deadline: nil, failingWith: Refused.self) {
            do {
                return try await table.move(Array(moves.values))
            } catch let error as PostgresError where error.code == .server && !error.isConnectionFailure {
                throw Refused()
            }
        }
        for order in orders {
            let done = order.moves.filter { moved.contains($0.incarnation) && moves[$0.incarnation] == $0 }
            order.inputs.answer(.moved(order.moves, Set(done.map(\.incarnation))), to: order.moves.count)
        }
    }

    /// Makes one move. The move fails if the service is shutting down, or because of a defect that has already been
    /// logged.
    private func move(_ move: CursorTable.Move, tell inputs: BatchQueue<ShardInput>) async {
        do {
            let moved = try await retry.run(deadline: nil) {
                try await alone.withPermit { try await table.move([move]) }
            }
            inputs.answer(.moved([move], moved), to: 1)
        } catch {
            inputs.answer(.unmoved(move), to: 1)
        }
    }
}
