internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import SubscriptionStorage

/// Moves the cursors for all lanes, in one transaction at a time: whatever is asked for meanwhile goes into the next.
///
/// So no lane waits for a commit before it publishes what came next, and the busier the service is, the more changes
/// share one. When the server refuses one, each cursor is moved alone, beside what comes next: a row that is locked or
/// does not take its new value is trouble of its zone only.
final class CursorMover: Sendable {
    private struct Order: Sendable {
        var moves: [CursorTable.Move]
        var inputs: BatchQueue<ShardInput>
    }

    /// The server does not take all moves of a transaction.
    private struct Refused: Error {}

    /// So many connections are held at most by moves that wait for a lock.
    private static let maxAlone = 4

    private let table: CursorTable
    private let trouble: DatabaseTrouble
    private let orders = BatchQueue<Order>()
    private let alone = AsyncSemaphore(permits: maxAlone)

    /// Moves the cursors of that table. Nothing happens before ``run()``.
    init(table: CursorTable, trouble: DatabaseTrouble) {
        self.table = table
        self.trouble = trouble
    }

    /// Has cursors moved, each incarnation once; `inputs` gets a ``ShardInput/moved(_:_:)`` or
    /// ``ShardInput/unmoved(_:)`` about each, and is not over before.
    func move(_ moves: [CursorTable.Move], tell inputs: BatchQueue<ShardInput>) {
        inputs.expectAnswers(to: moves.count)
        orders.add(Order(moves: moves, inputs: inputs))
    }

    /// No more will be asked for.
    func finish() { orders.finish() }

    /// Until finished and all is done.
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

    /// All in one transaction, or none.
    ///
    /// - Throws: ``Refused``, `Withheld`; nobody is told then.
    private func moveTogether(_ orders: [Order]) async throws {
        // A lane that lost its connection may have asked twice about a zone: one of them finds the cursor elsewhere.
        var moves: [UUID: CursorTable.Move] = [:]
        for move in orders.flatMap(\.moves) { moves[move.incarnation] = move }
        let moved = try await trouble.outlast(deadline: nil, failingWith: Refused.self) {
            do {
                return try await table.move(Array(moves.values))
            } catch let error as PostgresError where error.code == .server && !error.isConnectionTrouble {
                throw Refused()
            }
        }
        for order in orders {
            let done = order.moves.filter { moved.contains($0.incarnation) && moves[$0.incarnation] == $0 }
            order.inputs.answer(.moved(order.moves, Set(done.map(\.incarnation))), to: order.moves.count)
        }
    }

    /// One alone. It is not moved when the service ends, or by a mistake of ours, which is logged then.
    private func move(_ move: CursorTable.Move, tell inputs: BatchQueue<ShardInput>) async {
        do {
            let moved = try await trouble.outlast(deadline: nil) {
                try await alone.withPermit { try await table.move([move]) }
            }
            inputs.answer(.moved([move], moved), to: 1)
        } catch {
            inputs.answer(.unmoved(move), to: 1)
        }
    }
}
