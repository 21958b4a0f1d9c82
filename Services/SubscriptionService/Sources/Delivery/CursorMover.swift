internal import Foundation
internal import RequestServing

/// Moves the cursors for all lanes, in one transaction at a time: whatever is asked for meanwhile goes into the next.
///
/// So no lane waits for a commit before it publishes what came next, and the busier the service is, the more changes
/// share one.
final class CursorMover: Sendable {
    private struct Order: Sendable {
        var moves: [CursorTable.Move]
        var inbox: Inbox<ShardInput>
    }

    private let table: CursorTable
    private let trouble: DatabaseTrouble
    private let orders = Inbox<Order>()

    /// Moves the cursors of that table. Nothing happens before ``run()``.
    init(table: CursorTable, trouble: DatabaseTrouble) {
        self.table = table
        self.trouble = trouble
    }

    /// Has cursors moved, each incarnation once; `inbox` gets a ``ShardInput/moved(_:_:)`` and is not over before.
    func move(_ moves: [CursorTable.Move], tell inbox: Inbox<ShardInput>) {
        inbox.expectAnswer()
        orders.add(Order(moves: moves, inbox: inbox))
    }

    /// No more will be asked for.
    func finish() { orders.finish() }

    /// Until finished and all is done.
    func run() async {
        while let orders = await orders.next() {
            // A lane that lost its connection may have asked twice about a zone: one of them finds the cursor elsewhere.
            var moves: [UUID: CursorTable.Move] = [:]
            for move in orders.flatMap(\.moves) { moves[move.incarnation] = move }
            let moved = await move(Array(moves.values))
            for order in orders {
                let done = order.moves.filter { moved.contains($0.incarnation) && moves[$0.incarnation] == $0 }
                order.inbox.answer(.moved(order.moves, Set(done.map(\.incarnation))))
            }
        }
    }

    /// Those that were moved: none when the service ends, or by a mistake of ours, which is logged then. Either way the
    /// lane reads the cursors anew.
    private func move(_ moves: [CursorTable.Move]) async -> Set<UUID> {
        do {
            return try await trouble.outlast(deadline: nil) { try await table.move(moves) }
        } catch {
            return []
        }
    }
}
