internal import AMQPClient
internal import CloudKitModel
internal import GatewayStorage
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages

/// Takes operators' requests from the `gateway.admin` queue and answers them. Creating this value starts nothing.
struct AdminWork: Sendable {
    private static let workers = 2

    private let consumer: AMQPConsumer
    private let work: RequestWork

    /// Creates an instance that operates on `accounts`.
    ///
    /// - Parameters:
    ///   - passwordCost: the cost of new password hashes; see ``PasswordHash/usualCost``.
    ///   - call: asks the record service about containers.
    init(
        accounts: AccountStore, passwordCost: Int, call: @escaping RemoteCall, amqp: AMQPConfiguration,
        publisher: AMQPPublisher, host: ServiceHost
    ) {
        let (logger, metrics) = (host.logger, host.requestMetrics)
        let consumer = AMQPConsumer(
            configuration: amqp, topology: Topology.needed(by: .gateway),
            consumptions: [
                AMQPConsumption(queue: Queue.gatewayAdmin, prefetch: 20),
                AMQPConsumption(queue: Queue.dead(.gateway), prefetch: 50),
            ], logger: logger)
        let operations = OperatorOperations(
            accounts: accounts, passwordCost: passwordCost,
            ledger: RequestLedger(pool: accounts.pool, table: .account), containers: ContainerCheck(call: call),
            retry: host.retry)
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
        self.consumer = consumer
    }

    /// The services, in the order in which to start them. They start after the publisher and the client of `call`.
    var services: [any Service] { [work, consumer] }

    /// The connection to the broker.
    var client: BrokerClient { BrokerClient("admin", consumer) }
}

extension RequestTable {
    /// The table with the outcomes of operators' writes. It ensures that each write is executed only once.
    static let account = RequestTable(schema: "account")
}
