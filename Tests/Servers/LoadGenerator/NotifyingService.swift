import AMQPClient
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// A fake record service that publishes notifications of its changes, with configurable faults.
actor NotifyingService: Requester {
    enum Fault { case none, loses, repeats, renames, swaps }

    /// A change to notify of, and the recipients.
    struct News {
        var zone: String
        var seq: Int64
        var name: String
        var kind: String
        var subscriptionID: String?
        var id: String?
    }

    private let fault: Fault
    private let publisher: AMQPPublisher
    private let message: @Sendable (News) throws -> AMQPMessage
    /// The zones of the saved subscriptions, by id.
    private(set) var subscriptions: [String: String] = [:]
    private(set) var savedCount = 0
    private var lastSeq: [String: Int64] = [:]
    private var kept: [AMQPMessage] = []
    private var known: Set<String> = []

    init(
        _ fault: Fault, _ publisher: AMQPPublisher,
        _ message: @escaping @Sendable (News) throws -> AMQPMessage
    ) {
        self.fault = fault
        self.publisher = publisher
        self.message = message
    }

    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        let body = try Answer(status: 200, body: request.body, attempts: 1).json()
        for operation in body["operations"]?.array ?? [] where request.operation == .subscriptionsModify {
            let id = operation["subscription"]?["subscriptionID"]?.string ?? ""
            let isCreated = operation["operationType"] == "create"
            subscriptions[id] = isCreated ? operation["subscription"]?["zoneID"]?["zoneName"]?.string : nil
            if isCreated { savedCount += 1 }
        }
        for operation in body["operations"]?.array ?? [] where request.operation == .recordsModify {
            let name = operation["record"]?["recordName"]?.string ?? ""
            let isNew = known.insert(name).inserted
            let kind = operation["operationType"] == "forceDelete" ? "deleted" : isNew ? "created" : "updated"
            do {
                try await notify(body["zoneID"]?["zoneName"]?.string ?? "", name, kind)
            } catch {
                throw .unanswered(reason: "\(error)")
            }
        }
        return Answer(status: 200, body: Array(#"{"records":[],"zones":[]}"#.utf8), attempts: 1)
    }

    private func notify(_ zone: String, _ name: String, _ kind: String) async throws {
        let seq = lastSeq[zone, default: 0] + 1
        lastSeq[zone] = seq
        let ids = [String?.none] + subscriptions.filter { $0.value == zone }.keys.sorted()
        let news = ids.map { News(zone: zone, seq: seq, name: name, kind: kind, subscriptionID: $0) }
        var messages = try news.map(message)
        switch fault {
        case .none: break
        case .loses: if seq == 5 { messages = [] }
        case .repeats: if seq == 5 { messages += messages }
        case .renames:
            guard seq == 5 else { break }
            messages += try news.map { news in
                var news = news
                news.id = "another"
                return try message(news)
            }
        case .swaps:
            if seq == 5 {
                kept = messages
                messages = []
            } else if seq == 6 {
                messages += kept
            }
        }
        // All are published together, so that no other messages come between them.
        for result in await publisher.publish(messages) { try result.get() }
    }
}
