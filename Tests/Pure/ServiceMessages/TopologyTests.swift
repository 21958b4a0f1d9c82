import AMQPClient
import ServiceMessages
import Testing

/// The topology of the broker. Every message is routable, and nothing is declared in two different ways.
struct TopologyTests {
    @Test(arguments: Operation.allCases)
    func everyOperationHasOneQueueAndItsServicesDeadLetters(operation: Operation) {
        let bound = Topology.all.bindings.filter {
            $0.exchange == operation.exchange && $0.routingKey == operation.rawValue
        }
        #expect(bound.map(\.queue) == [operation.queue])
        #expect(operation.queue.hasPrefix("\(operation.service.rawValue)."))
        let dead = Topology.all.bindings.filter { $0.exchange == Exchange.dead && $0.routingKey == operation.rawValue }
        #expect(dead.map(\.queue) == [Queue.dead(operation.service)])
    }

    @Test func everyBindingsEndsAreDeclaredOnce() {
        var topology = Topology.all
        let wait = Topology.wait(for: Queue.assetJobs, seconds: 60)
        topology.queues += wait.queues
        topology.bindings += wait.bindings
        let (queues, exchanges) = (topology.queues.map(\.name), topology.exchanges.map(\.name))
        #expect(Set(queues).count == queues.count)
        #expect(Set(exchanges).count == exchanges.count)
        for binding in topology.bindings {
            #expect(queues.contains(binding.queue))
            #expect(exchanges.contains(binding.exchange))
        }
        for queue in topology.queues {
            guard let exchange = queue.arguments.string("x-dead-letter-exchange") else { continue }
            #expect(exchanges.contains(exchange))
            // Without this argument, RabbitMQ silently disables at-least-once dead-lettering.
            if queue.arguments.string("x-queue-type") == "quorum" {
                #expect(queue.arguments.string("x-overflow") == "reject-publish")
            }
        }
    }

    @Test func aWaitQueuesTimeIsInItsName() throws {
        let topology = Topology.wait(for: Queue.assetJobs, seconds: 60)
        let queue = try #require(topology.queues.first { $0.name == "asset.jobs.wait.60s" })
        #expect(queue.arguments.int64("x-message-ttl") == 60_000)
        let arrivals = Topology.all.bindings.filter {
            $0.exchange == queue.arguments.string("x-dead-letter-exchange")
                && $0.routingKey == queue.arguments.string("x-dead-letter-routing-key")
        }
        #expect(arrivals.map(\.queue) == [Queue.assetJobs])
    }

    @Test func aClientsQueueIsBoundedAndTellsWhatItDrops() throws {
        let bounds = ClientQueueBounds(expiry: .seconds(60), maxMessages: 10, maxBytes: 1000)
        let topology = Topology.client("00ff", bounds)
        let queue = try #require(topology.queues.first)
        #expect(queue.name == "client.00ff")
        #expect(queue.isDurable && !queue.isExclusive && !queue.isAutoDelete)
        #expect(queue.arguments.int64("x-expires") == 60_000)
        #expect(queue.arguments.int64("x-max-length") == 10)
        #expect(queue.arguments.int64("x-max-length-bytes") == 1000)
        #expect(queue.arguments.string("x-overflow") == "drop-head")
        let counted = Topology.all.bindings.filter { $0.exchange == queue.arguments.string("x-dead-letter-exchange") }
        #expect(counted.map(\.queue) == [Queue.subscriptionDrops])
        #expect(
            topology.bindings == [
                AMQPBinding(queue: "client.00ff", exchange: Exchange.notifications, routingKey: "client.00ff")
            ])
    }

    @Test(arguments: ServiceName.allCases)
    func aServiceLooksUpWhatItNeedsAndDeclaresNothing(service: ServiceName) {
        let needed = Topology.needed(by: service)
        #expect(Set(needed.expectedQueues).isSubset(of: Topology.all.queues.map(\.name)))
        #expect(Set(needed.expectedExchanges).isSubset(of: Topology.all.exchanges.map(\.name)))
        #expect(needed.exchanges.isEmpty && needed.queues.isEmpty && needed.bindings.isEmpty)
    }

    @Test func everyShardHasAQueueWithOneActiveConsumer() throws {
        for shard in 0..<RoutingKey.shardCount {
            let queue = try #require(Topology.all.queues.first { $0.name == Queue.subscriptionChanges(shard) })
            #expect(queue.arguments["x-single-active-consumer"] == .bool(true))
        }
    }
}
