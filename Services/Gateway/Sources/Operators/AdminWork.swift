internal import AMQPClient
internal import CloudKitModel
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages

/// What serves operators over AMQP (`gateway.admin`), and tidies up beside it: one of the gateway's parts. Constructing
/// it starts nothing.
struct AdminWork: Sendable {
    private static let workers = 2

    private let consumer: AMQPConsumer
    private let work: RequestWork
    private let background: PeriodicJobs
    private let departures: Departures

    /// The work over those accounts. The containers that requests name are asked for with `rpc`.
    init(
        accounts: AccountStore, departed: DepartureSignal, amqp: AMQPConfiguration, publisher: AMQPPublisher,
        rpc: AMQPRPCClient, host: ServiceHost
    ) {
        let (logger, metrics) = (host.logger, host.requestMetrics)
        let consumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .gateway),
            consumptions: [
                AMQPConsumption(queue: Queue.gatewayAdmin, prefetch: 20),
                AMQPConsumption(queue: Queue.dead(.gateway), prefetch: 50),
            ], logger: logger)
        let ask: ContainerCheck.Ask = { message, limit throws(AMQPError) in
            var message = message
            message.properties.userID = amqp.user
            return try await rpc.call(message, timeout: limit)
        }
        let operations = OperatorOperations(
            accounts: accounts, ledger: RequestLedger(pool: accounts.pool, table: .account),
            containers: ContainerCheck(ask: ask), trouble: host.trouble)
        let responder = Responder(publisher: publisher, metrics: metrics, logger: logger)
        let workers = RequestWorkers(
            count: Self.workers, consumer: consumer, responder: responder, metrics: metrics,
            handle: { await operations.answer($0) })
        work = RequestWork(
            intake: RequestIntake(
                consumer: consumer, deadQueue: Queue.dead(.gateway),
                reader: RequestReader(limits: Limits(.extended), producers: host.producers),
                workers: workers, responder: responder, metrics: metrics),
            workers: workers)
        departures = Departures(
            accounts: accounts, ask: ask, signal: departed, metrics: DepartureMetrics(host.metrics), logger: logger)
        background = PeriodicJobs(AccountRounds(accounts: accounts, logger: logger).jobs, logger: logger)
        self.consumer = consumer
    }

    /// Behind publisher and RPC, in this order.
    var services: [any Service] { [background, departures, work, consumer] }

    /// Its connection to the broker.
    var client: BrokerClient { BrokerClient("admin", consumer) }
}
