internal import AMQPClient
internal import GatewayStorage
internal import HTTPServing
internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages

/// The parts of the gateway. Creating them does not start them.
struct GatewayParts: Sendable {
    let publisher: AMQPPublisher
    let rpc: AMQPRPCClient
    let background: PeriodicJobs
    let departures: Departures
    let admin: AdminWork
    let reader: AMQPQueueReader
    var http: GatewayHTTPServer
    let endOfPolls: any Service

    init(_ configuration: GatewayConfiguration, pool: PostgresPool, host: ServiceHost) {
        let (amqp, logger) = (configuration.host.amqp, host.logger)
        let publisher = AMQPPublisher(
            configuration: amqp, topology: Topology.needed(by: .gateway), logger: logger)
        self.publisher = publisher
        // This limit never makes a request wait, because the limit on concurrent requests is reached first.
        let rpc = AMQPRPCClient(configuration: amqp, maxInFlight: max(1, configuration.maxConcurrent), logger: logger)
        self.rpc = rpc
        let metrics = GatewayMetrics(host.metrics)
        let call: RemoteCall = { message, time throws(AMQPError) in
            var message = message
            message.properties.userID = amqp.user
            return try await rpc.call(message, timeout: time)
        }
        let departed = DepartureSignal()
        let accounts = AccountStore(
            pool: pool, keys: configuration.webAuthTokenKeys, sessionBounds: configuration.signIn.sessionBounds,
            onDeparture: { departed.raise() }, now: { SystemClock.milliseconds() })
        background = PeriodicJobs(BackgroundJobs(accounts: accounts, logger: logger).jobs, logger: logger)
        departures = Departures(
            accounts: accounts, call: call, signal: departed, metrics: DepartureMetrics(host.metrics), logger: logger)
        admin = AdminWork(
            accounts: accounts, passwordCost: configuration.signIn.passwordCost, call: call, amqp: amqp,
            publisher: publisher, host: host)
        let link = SignInLink(publicURL: configuration.publicURL, keys: configuration.signInKeys)
        let rates = RateLimits(configuration.rates, metrics: metrics)
        let errors = ErrorAnswers(database: host.retry, logger: logger)
        let forwarder = RequestForwarder(
            call: call, isConnected: { rpc.isConnected }, userID: amqp.user, requestTime: configuration.requestTime,
            logger: logger)
        let authenticator = Authenticator(accounts: accounts, signIn: link, metrics: metrics, logger: logger)
        let users = UsersOperations(accounts: accounts, onSignOut: { authenticator.forget($0) })
        let signIn = SignInRoute(
            accounts: accounts, link: link, configuration: configuration.signIn, metrics: host.metrics)
        let permits = FairBudget(configuration.maxConcurrent, parts: configuration.shares)
        let links = LinkRoute(
            accounts: accounts, identification: signIn.identification, link: link,
            questions: LinkQuestions(forwarder: forwarder, accounts: accounts), rates: rates, permits: permits)
        let reader = AMQPQueueReader(configuration: amqp, logger: logger)
        self.reader = reader
        let courier = CourierRoute(
            configuration.courier, keys: configuration.clientKeys, reader: reader,
            metrics: CourierMetrics(host.metrics))
        endOfPolls = courier.ending
        let documents = DocumentRoute()
        let responder = GatewayResponder(
            endpoints: EndpointRoute(
                admits: { try await authenticator.admit($0, at: $1) },
                authenticate: { try await authenticator.authenticate($0, at: $1) },
                users: { try await users.answer(to: $0, at: $1, for: $2) },
                email: { try await users.email(of: $0) }, forwarder: forwarder, rates: rates,
                permits: permits, errors: errors),
            signIn: { try await signIn.answer(to: $0) }, link: { try await links.answer(to: $0) },
            courier: { try await courier.respond(to: $0, query: $1, on: $2) },
            documents: { documents.answer(to: $0) }, proxies: configuration.trustedProxies,
            peers: PeerWatch(hasProxies: !configuration.trustedProxies.isEmpty, logger: logger),
            isSecure: configuration.publicURL.hasPrefix("https://"), rates: rates,
            bodies: RequestBodyReader(maxBytes: configuration.maxBodyBytes, metrics: metrics), errors: errors,
            // The gateway's own time limit is longer than the limit for a service and its reply, so that clients
            // receive the service's error, which is more specific than the gateway's.
            answerTime: configuration.requestTime + .seconds(2), metrics: metrics, logger: logger)
        let bodies = FairBudget(configuration.maxBodiesBytes, parts: configuration.shares)
        GatewayMetrics.show(bodyBytes: { bodies.taken }, in: host.metrics)
        http = GatewayHTTPServer(
            host: configuration.httpHost, port: configuration.httpPort, tls: configuration.tls, responder: responder,
            connections: configuration.connections.policy(host.metrics),
            limits: ConnectionLimits(
                maxBodyBytes: configuration.maxBodyBytes, sendingTime: configuration.sendingTime, memory: bodies),
            logger: logger)
    }

    /// The services and clients for the host, in the order in which they start. The HTTP server starts after the others
    /// and stops before them. Polls are ended before the HTTP server stops, because the server would otherwise wait for
    /// them.
    var parts: ServiceParts {
        ServiceParts(
            services: [publisher, rpc, reader, background, departures] + admin.services + [http, endOfPolls],
            clients: [
                BrokerClient("publisher", publisher), BrokerClient("rpc", rpc), BrokerClient("courier", reader),
                admin.client,
            ])
    }
}
