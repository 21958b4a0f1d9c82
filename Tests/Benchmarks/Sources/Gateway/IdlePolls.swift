internal import CloudKitWire
internal import Foundation
internal import NIOPosix
internal import ServiceMessages
internal import Synchronization

/// Registered clients that wait for notifications, each with a long poll. No notifications arrive.
struct IdlePolls: Sendable {
    /// The number of clients of one user, which is within the limit for a user.
    private static let clientsOfUser = 100

    private final class State: Sendable {
        let ended = Atomic(0)
        let isOver = Atomic(false)
    }

    /// The number of clients.
    let count: Int

    /// Registers the clients over AMQP, and returns the URL that each polls.
    ///
    /// - Throws: ``LimitFailure`` if a client is refused; `AMQPError`.
    func register() async throws -> [String] {
        let producers = Producers(configuration: try LimitEnvironment.broker(), count: 2, inFlight: 8)
        let body = Array(#"{"apnsEnvironment":"development"}"#.utf8)
        let (addresses, _) = try await producers.run { client, place in
            var addresses: [String] = []
            for number in stride(from: place, to: count, by: 16) {
                let user =
                    "_" + String(repeating: "e", count: 16)
                    + hexadecimal(UInt64(number / Self.clientsOfUser), digits: 16)
                let answer = try await ServiceAnswer(user: user).answer(
                    to: .tokensCreate, body: body, over: client, slot: place, number: number)
                guard let url = try JSONValue(parsing: answer)["webcourierURL"]?.string else {
                    throw LimitFailure("a client received no webcourierURL")
                }
                addresses.append(url)
            }
            return addresses
        }
        return addresses.flatMap { $0 }
    }

    /// Polls all addresses while `body` runs, and repeats each poll that ends. Returns the number of polls that ended
    /// with `null`.
    ///
    /// - Parameter body: called when all polls are in progress.
    /// - Throws: ``LimitFailure`` if a poll ends in another way; the errors of `body`.
    func poll(_ addresses: [String], while body: @escaping @Sendable () async throws -> Void) async throws -> Int {
        let group = MultiThreadedEventLoopGroup.singleton
        let state = State()
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            var connections: [GatewayConnection] = []
            for address in addresses {
                guard let url = URLComponents(string: address), let host = url.host, let query = url.percentEncodedQuery
                else { throw LimitFailure("'\(address)' is not a URL") }
                let connection = try await GatewayConnection.connect(host: host, port: url.port ?? 80, on: group)
                connections.append(connection)
                let target = "\(url.percentEncodedPath)?\(query)"
                tasks.addTask {
                    while true {
                        do {
                            let answer = try await connection.get(target, host: host)
                            guard answer == Array("null".utf8) else { throw LimitFailure("a poll was not idle") }
                            state.ended.add(1, ordering: .relaxed)
                        } catch {
                            if state.isOver.load(ordering: .relaxed) { return }
                            throw error
                        }
                    }
                }
            }
            let all = connections
            tasks.addTask {
                try await body()
                state.isOver.store(true, ordering: .relaxed)
                for connection in all { await connection.close() }
            }
            try await tasks.waitForAll()
            return state.ended.load(ordering: .relaxed)
        }
    }
}
