import Synchronization
import TestSupport

/// One of the clients that act concurrently.
struct ModelClient: Sendable {
    /// The name of the client in requests and records.
    let name: String
    /// Sends the requests over a separate connection.
    let client: TestClient
    /// The clock that all clients of a run share.
    let clock: LogicalClock

    /// Executes `steps` one after the other.
    ///
    /// - Throws: an error if an answer does not arrive or is invalid.
    func take(_ steps: [ModelProgram.Step], round: Int, knowing knowledge: ModelKnowledge) async throws -> ModelLog {
        var log = ModelLog()
        for (index, step) in steps.enumerated() {
            log.steps += 1
            let id = "\(name)-\(round)-\(index)"
            switch step {
            case .modify(let zone, let drafts, let atomic, let isWeb, let copies, let isSlow):
                let operations = drafts.map { knowledge.complete($0, in: zone) }
                let request = ModelRequest.records(zone: zone, operations, atomic: atomic)
                log.exchanges += try await send(
                    ModelMessage(id: id, client: name, isWeb: isWeb, request: request), copies: copies,
                    fault: isSlow ? "slow-transaction" : nil)
            case .createZone(let zone):
                log.exchanges += try await send(ModelMessage(id: id, client: name, request: .createZone(zone)))
            case .deleteZone(let zone):
                log.exchanges += try await send(ModelMessage(id: id, client: name, request: .deleteZone(zone)))
            case .lookup(let zone, let names):
                log.exchanges += try await send(ModelMessage(id: id, client: name, request: .lookup(zone: zone, names)))
            case .again(let draw):
                guard
                    let message = (knowledge.messages + log.exchanges.map(\.message).filter { !$0.request.isRead })
                        .drawn(draw)
                else { continue }
                log.exchanges += try await send(message)
            case .reuse(let draw):
                guard let other = knowledge.messages.drawn(draw) else { continue }
                let message = ModelMessage(id: other.id, client: name, request: .unlikeAnyOther)
                log.exchanges += try await send(message)
            case .readZone(let zone, let draw, let limit):
                log.reads.append(try await ZoneRead(from: knowledge.copy(of: zone, draw), as: client, limit: limit))
            case .readForeign(let zone, let draw):
                guard var copy = knowledge.foreignCopy(at: zone, draw) else { continue }
                log.foreign.append(ForeignRead(zone: zone, end: try await copy.fetch(as: client)))
            case .syncDatabase(let draw, let limit):
                var copy = draw.flatMap { knowledge.databases().drawn($0) } ?? DatabaseCopy()
                try await copy.sync(as: client, limit: limit)
                log.syncs.append(DatabaseSync(copy))
            }
        }
        return log
    }
}

/// A logical clock, which counts events. May be used on any thread.
final class LogicalClock: Sendable {
    private let time = Atomic(0)

    /// Returns the next time.
    func tick() -> Int { time.add(1, ordering: .sequentiallyConsistent).newValue }
}

extension ModelRequest {
    /// A request that no program contains.
    fileprivate static let unlikeAnyOther = ModelRequest.records(
        zone: ModelZone.defaultName,
        [ModelOperation(kind: .forceReplace, name: "r0", type: "Note", fields: ["a": .number(-1)])], atomic: nil)
}

extension RandomAccessCollection {
    /// Returns the element that a random number selects; nil if the collection is empty.
    func drawn(_ draw: Int) -> Element? {
        isEmpty ? nil : self[index(startIndex, offsetBy: draw % count)]
    }
}
