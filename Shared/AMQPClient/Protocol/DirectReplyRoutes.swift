/// A publisher's record of the channels behind direct reply-to addresses.
///
/// A channel for which the broker ended the connection three times is closed for a while: replies to it fail
/// immediately and cost no further connection. If replies have reached that channel before, its node has left the
/// cluster, and all channels of the node are closed with it. A channel that no reply ever reached proves nothing about
/// its node, because a caller can invent its address.
struct DirectReplyRoutes {
    /// How long replies fail immediately. A node may return with its channels after a network partition.
    static let closedTime: Duration = .seconds(15)
    /// The maximum number of remembered channels, of each kind.
    private static let maxCount = 10_000

    /// The channels that replies have reached, in two generations: when the young set is full, it becomes the old one.
    private var young: Set<Substring> = []
    private var old: Set<Substring> = []
    private var closedChannels: [String: ContinuousClock.Instant] = [:]
    private var closedNodes: [DirectReplyAddress.Node: ContinuousClock.Instant] = [:]

    /// Records that the broker accepted a reply to that routing key.
    mutating func reached(_ routingKey: String) {
        guard let channel = DirectReplyAddress.channel(of: routingKey), !young.contains(channel) else { return }
        if young.count >= Self.maxCount {
            old = young
            young = []
        }
        young.insert(channel)
    }

    /// Records that a reply to that routing key was given up.
    mutating func gaveUp(_ routingKey: String, now: ContinuousClock.Instant) {
        guard let address = DirectReplyAddress(routingKey) else { return }
        let end = now + Self.closedTime
        forgetClosed(before: now)
        closedChannels[address.channel] = end
        if young.contains(address.channel[...]) || old.contains(address.channel[...]) {
            closedNodes[address.node] = end
        }
    }

    /// Whether replies to that routing key must fail immediately.
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
