internal import NIOCore

/// Closes the connection of a client that sends a request, or receives a response, at less than the minimum rate.
///
/// The meter measures over time windows, and only while a transfer is in progress. The rate applies to a request only
/// if the request was arriving during the whole window, and only for the time during which the server was ready to
/// read. It applies to a response only for bytes that were waiting during the whole window. Therefore, a slow disk on
/// the server does not count against the client.
///
/// The meter is next to the socket, so it counts the bytes as sent over the network, after compression and encryption.
final class TransferMeter: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let window: TimeAmount
    private let bytesPerSecond: Double
    private let metrics: ConnectionMetrics
    private weak var channel: (any Channel)?

    private var isReceiving = false
    private var timer: Scheduled<Void>?

    // The state of the current window.
    private var isSameRequest = false
    private var received = 0
    private var waitingAtStart = 0
    private var takenAtStart = 0
    /// The time during which the server was not ready to read.
    private var unready = TimeAmount.zero
    private var unreadySince: NIODeadline?
    /// The number of bytes written on the connection so far.
    private var written = 0

    init(_ policy: ConnectionPolicy) {
        window = TimeAmount(policy.window)
        bytesPerSecond = Double(policy.minBytesPerSecond)
        metrics = policy.metrics
    }

    /// Records that the head (true) or the end (false) of a request has arrived.
    func setReceiving(_ isReceiving: Bool) {
        self.isReceiving = isReceiving
        isSameRequest = false
        if isReceiving { watch() }
    }

    /// Records that part of a response is being written.
    func noteSending() { watch() }

    /// Stops measuring.
    func stop() {
        timer?.cancel()
        timer = nil
        channel = nil
    }

    func handlerAdded(context: ChannelHandlerContext) { channel = context.channel }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        unreadySince = .now()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if let since = unreadySince { unready = unready + (.now() - since) }
        unreadySince = nil
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    private func watch() {
        guard timer == nil, channel != nil else { return }
        beginWindow()
    }

    private func beginWindow() {
        guard let channel else { return }
        isSameRequest = isReceiving
        received = 0
        unready = .zero
        if unreadySince != nil { unreadySince = .now() }
        waitingAtStart = channel.bufferedBytes
        takenAtStart = written - waitingAtStart
        timer = channel.eventLoop.assumeIsolated().scheduleTask(in: window) { [self] in endWindow() }
    }

    private func endWindow() {
        timer = nil
        guard let channel else { return }
        if isSameRequest, received < bytes(in: window - unreadyTime) { return close(channel, .slowRequest) }
        let waiting = channel.bufferedBytes
        let taken = written - waiting - takenAtStart
        if taken < min(waitingAtStart, bytes(in: window)) { return close(channel, .slowAnswer) }
        if isReceiving || waiting > 0 { beginWindow() }
    }

    private var unreadyTime: TimeAmount { unreadySince.map { unready + (.now() - $0) } ?? unready }

    private func bytes(in time: TimeAmount) -> Int {
        Int(bytesPerSecond * Double(max(0, time.nanoseconds)) / 1_000_000_000)
    }

    private func close(_ channel: any Channel, _ reason: ConnectionMetrics.Closing) {
        metrics.count(reason)
        channel.close(promise: nil)
    }
}
