/// What a publisher has learned of the channels that direct replies lead to.
///
/// A channel for which the broker ended the connection three times is closed for a while: answers to it fail at once, and
/// cost no further connection. When it is a channel that answers have reached before, its node has left the cluster, and
/// all channels of that node are closed with it. A channel that no answer ever reached says nothing about its node,
/// because a caller can make its address up.
struct DirectReplyRoutes {
    /// How long answers fail at once. A node may come back with its channels after a network partition.
    static let closedTime: Duration = .seconds(15)
    /// Channels that are remembered, of each kind.
    private static let maxCount = 10_000

    /// The channels that answers reached, in two generations: when the young one is full it becomes the old one.
    private var young: Set<Substring> = []
    private var old: Set<Substring> = []
    private var closedChannels: [String: ContinuousClock.Instant] = [:]
    private var closedNodes: [DirectReplyAddress.Node: ContinuousClock.Instant] = [:]

    /// The broker took an answer to that routing key.
    mutating func reached(_ routingKey: String) {
        guard let channel = DirectReplyAddress.channel(of: routingKey), !young.contains(channel) else { return }
        if young.count >= Self.maxCount {
            old = young
            young = []
        }
        young.insert(channel)
    }

    /// An answer to that routing key was given up.
    mutating func gaveUp(_ routingKey: String, now: ContinuousClock.Instant) {
        guard let address = DirectReplyAddress(routingKey) else { return }
        let end = now + Self.closedTime
        forgetClosed(before: now)
        closedChannels[address.channel] = end
        if young.contains(address.channel[...]) || old.contains(address.channel[...]) {
            closedNodes[address.node] = end
        }
    }

    /// Whether an answer to that routing key is not to be tried now.
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
