/// A publisher's record of the channels behind direct reply-to addresses.
///
/// After a reply has caused the broker to close connections three times, the channel that it was addressed to is
/// treated as closed for a while: further replies to that channel fail immediately and cost no connection. If earlier
/// replies reached that channel, its node must have left the cluster, so all channels of the node are treated as closed
/// too. A channel that no reply has ever reached proves nothing about its node, because a caller can invent an address.
struct DirectReplyRoutes {
    /// How long a channel or node is treated as closed. A node can return with its channels after a network partition.
    static let closedTime: Duration = .seconds(15)
    /// The maximum number of entries in each of the collections below.
    private static let maxCount = 10_000

    /// The channels that replies have reached, in two generations: when the young set is full, it replaces the old one.
    private var young: Set<Substring> = []
    private var old: Set<Substring> = []
    private var closedChannels: [String: ContinuousClock.Instant] = [:]
    private var closedNodes: [DirectReplyAddress.Node: ContinuousClock.Instant] = [:]

    /// Notes that the broker accepted a reply to the address in `routingKey`.
    mutating func reached(_ routingKey: String) {
        guard let channel = DirectReplyAddress.channel(of: routingKey), !young.contains(channel) else { return }
        if young.count >= Self.maxCount {
            old = young
            young = []
        }
        young.insert(channel)
    }

    /// Notes that a reply to the address in `routingKey` was discarded.
    mutating func gaveUp(_ routingKey: String, now: ContinuousClock.Instant) {
        guard let address = DirectReplyAddress(routingKey) else { return }
        let end = now + Self.closedTime
        forgetClosed(before: now)
        closedChannels[address.channel] = end
        if young.contains(address.channel[...]) || old.contains(address.channel[...]) {
            closedNodes[address.node] = end
        }
    }

    /// Returns whether replies to the address in `routingKey` must fail immediately.
    func isClosed(_ routingKey: String, now: ContinuousClock.Instant) -> Bool {
        guard !closedChannels.isEmpty || !closedNodes.isEmpty, let address = DirectReplyAddress(routingKey) else {
            return false
        }
        let end = [closedChannels[address.channel], closedNodes[address.node]].compactMap(\.self).max()
        return end.map { now < $0 } ?? false
    }

    private mutating func forgetClosed(before now: ContinuousClock.Instant) {
        closedChannels = closedChannels.filter { $0.value > now }
        closedNodes = closedNodes.filter { $0.value > now }
        if closedChannels.count >= Self.maxCount { closedChannels = [:] }
        if closedNodes.count >= Self.maxCount { closedNodes = [:] }
    }
}
