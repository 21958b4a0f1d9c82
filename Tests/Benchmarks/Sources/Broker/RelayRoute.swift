package import AMQPClient
internal import CloudKitModel
internal import Foundation
internal import ServiceMessages

/// The way of an event through the broker, as it is between the services: a topic exchange, a quorum queue from which a
/// program passes everything on, another topic exchange, and behind it the quorum queues of watchers.
package struct RelayRoute: Sendable {
    /// As many zones as a watcher of `zonda load subscriptions` listens to.
    private static let zonesPerWatcher = 3
    /// As long as a zone's change token.
    private static let syncTokenLength = 80

    /// Where events are published.
    let changes: String
    /// The queue of all events.
    let queue: String
    /// Where they are published again.
    let notifications: String
    /// The queues of the watchers.
    let watchers: [String]
    /// How many watchers hear of each zone.
    let listeners: [Int]
    private let zones: [ZoneAddress]
    private let incarnation = UUID()

    /// The way of the events of `zones` zones to `watchers` watchers.
    package init(zones: Int, watchers: Int) {
        let name = LimitQueues.name()
        (changes, queue, notifications) = ("\(name).changes", name, "\(name).notifications")
        self.watchers = (0..<watchers).map { "\(name).\($0)" }
        self.zones = (0..<zones).map {
            ZoneAddress(
                container: "iCloud.org.example.limits", environment: .development, scope: .private,
                owner: "_" + String(repeating: "0", count: 32), zone: "load-\($0)")
        }
        var listeners = [Int](repeating: 0, count: zones)
        for watcher in 0..<watchers {
            for zone in Self.zones(ofWatcher: watcher, of: zones) { listeners[zone] += 1 }
        }
        self.listeners = listeners
    }

    /// The event of the change number `number`, of one record of a zone, such as the record service publishes it.
    func event(_ number: Int, zone: Int) -> AMQPMessage {
        let record = ChangedRecord(
            name: "w1000000.100.\(number)", type: LoadShape.recordType, seq: Int64(number), kind: .created,
            changedKeys: ["n"])
        var message = ChangeEvent(
            address: zones[zone], incarnation: incarnation, fromSeq: Int64(number), toSeq: Int64(number),
            xid: 1_000_000,
            client: nil, user: zones[zone].owner, at: Int64(Date().timeIntervalSince1970 * 1000),
            syncToken: String(repeating: "a", count: Self.syncTokenLength), records: ChangedRecord.json([record])
        ).message()
        message.exchange = changes
        return message
    }

    /// The number of the event that came; nil when it is none.
    func number(of delivery: AMQPDelivery) -> Int? {
        delivery.properties.messageID?.split(separator: ".").last.flatMap { Int($0) }
    }

    /// What is to be declared.
    ///
    /// - Throws: ``LimitFailure``.
    package func topology() throws -> AMQPTopology {
        var topology = AMQPTopology(
            exchanges: [changes, notifications].map { AMQPExchange(name: $0, kind: .topic, isAutoDelete: true) },
            queues: [
                AMQPQueue(
                    name: queue, arguments: try LimitQueues.arguments(of: Queue.subscriptionChanges(0)))
            ],
            bindings: [AMQPBinding(queue: queue, exchange: changes, routingKey: "#")])
        for (number, watcher) in watchers.enumerated() {
            topology.queues.append(
                AMQPQueue(name: watcher, arguments: LimitQueues.expiring(["x-queue-type": .string("quorum")])))
            for zone in Self.zones(ofWatcher: number, of: zones.count) {
                topology.bindings.append(
                    AMQPBinding(queue: watcher, exchange: notifications, routingKey: RoutingKey.change(zones[zone])))
            }
        }
        return topology
    }

    private static func zones(ofWatcher watcher: Int, of zones: Int) -> [Int] {
        let count = min(zonesPerWatcher, zones)
        return (0..<count).map { (watcher * count + $0) % zones }
    }
}
