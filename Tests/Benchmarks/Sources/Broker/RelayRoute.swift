package import AMQPClient
internal import CloudKitModel
internal import Foundation
internal import ServiceMessages

/// The route of an event through the broker, as between the services: a topic exchange, a quorum queue from which a
/// program forwards all events, another topic exchange, and the quorum queues of the watchers.
package struct RelayRoute: Sendable {
    /// The number of zones of a watcher, as in `zonda load subscriptions`.
    private static let zonesPerWatcher = 3
    /// The length of a zone's sync token.
    private static let syncTokenLength = 80

    /// The exchange to which events are published.
    let changes: String
    /// The queue of all events.
    let queue: String
    /// The exchange to which events are forwarded.
    let notifications: String
    /// The queues of the watchers.
    let watchers: [String]
    /// The number of watchers of each zone.
    let listeners: [Int]
    private let zones: [ZoneAddress]
    private let incarnation = UUID()

    /// Creates the route of events in `zones` zones to `watchers` watchers.
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

    /// Returns the event of change `number` of a zone with one record, in the form that the record service publishes.
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

    /// Returns the number of a received event; nil if the message is not an event.
    func number(of delivery: AMQPDelivery) -> Int? {
        delivery.properties.messageID?.split(separator: ".").last.flatMap { Int($0) }
    }

    /// Returns the topology to declare.
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
