import AMQPClient
import ServiceLifecycle
import Testing

extension BrokerTests {
    /// Many queues that are created and deleted, read over one connection.
    @Suite(.timeLimit(.minutes(2))) struct QueueReaderTests {
        private func reader(maxHeldBytes: Int = 32 << 20) throws -> AMQPQueueReader {
            var configuration = try TestBroker.configuration()
            configuration.closeTimeout = .seconds(5)
            return AMQPQueueReader(
                configuration: configuration, maxHeldBytes: maxHeldBytes, logger: TestBroker.logger)
        }

        private func publisher() throws -> AMQPPublisher {
            AMQPPublisher(configuration: try TestBroker.configuration(), logger: TestBroker.logger)
        }

        private func publish(_ publisher: AMQPPublisher, _ queue: String, _ ids: Range<Int>, bytes: Int = 5)
            async throws
        {
            let body = [UInt8](repeating: 1, count: bytes)
            for result in await publisher.publish(ids.map { .to(queue, id: $0, body: body) }) { try result.get() }
        }

        private func read(_ reader: AMQPQueueReader, _ queue: String, prefetch: UInt16 = 1) async throws
            -> AMQPReading
        {
            try await reader.read(queue, prefetch: prefetch, timeout: .seconds(20))
        }

        @Test func eachReadingTakesOneMessageAndLeavesTheRestInOrder() async throws {
            try await TestBroker.withQueue("poll") { queue, session in
                let (reader, publisher) = (try reader(), try publisher())
                try await withRunning([reader, publisher]) {
                    try await publish(publisher, queue, 0..<50)
                    var seen: [String?] = []
                    for _ in 0..<50 {
                        let reading = try await read(reader, queue)
                        let delivery = try #require(await reading.next()?.first)
                        reading.stop()
                        reading.acknowledge([delivery])
                        seen.append(delivery.properties.messageID)
                        #expect(!delivery.isRedelivered)
                    }
                    #expect(seen == (0..<50).map(String.init))
                    let status = try await session.status(ofQueue: queue)
                    #expect(status?.messageCount == 0)
                }
            }
        }

        @Test func whatIsNotAcknowledgedReturnsToItsPlaceWhenTheReadingIsReleased() async throws {
            try await TestBroker.withQueue("release") { queue, _ in
                let (reader, publisher) = (try reader(), try publisher())
                try await withRunning([reader, publisher]) {
                    try await publish(publisher, queue, 0..<10)
                    do {
                        let reading = try await read(reader, queue, prefetch: 4)
                        let first = try #require(await reading.next()?.first)
                        reading.acknowledge([first])
                    }
                    let reading = try await read(reader, queue, prefetch: 20)
                    var seen: [String?] = []
                    while seen.count < 9, let batch = await reading.next() {
                        seen += batch.map(\.properties.messageID)
                    }
                    #expect(seen == (1..<10).map(String.init))
                }
            }
        }

        @Test func aMissingQueueIsRefusedAndHarmsNoOtherReader() async throws {
            try await TestBroker.withQueue("there") { queue, _ in
                let (reader, publisher) = (try reader(), try publisher())
                try await withRunning([reader, publisher]) {
                    let reading = try await read(reader, queue)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<40 {
                            group.addTask {
                                let error = await #expect(throws: AMQPError.self) {
                                    _ = try await read(reader, TestBroker.name("missing\(number)"))
                                }
                                #expect(error?.replyCode == 404)
                            }
                        }
                        try await group.waitForAll()
                    }
                    try await publish(publisher, queue, 0..<1)
                    let delivery = try #require(await reading.next()?.first)
                    #expect(!delivery.isRedelivered)
                    reading.acknowledge([delivery])
                }
            }
        }

        @Test func aThousandReadingsShareAConnection() async throws {
            let names = (0..<1000).map { _ in TestBroker.name("many") }
            try await AMQPChannelSession.with(try TestBroker.configuration()) { session in
                for name in names { _ = try await session.declare(AMQPQueue(name: name, isDurable: false)) }
                let (reader, publisher) = (try reader(), try publisher())
                try await withRunning([reader, publisher]) {
                    try await withThrowingTaskGroup(of: String?.self) { group in
                        for name in names {
                            group.addTask {
                                let reading = try await read(reader, name)
                                let delivery = try #require(await reading.next()?.first)
                                reading.stop()
                                reading.acknowledge([delivery])
                                return delivery.properties.messageID
                            }
                        }
                        for (number, name) in names.enumerated() {
                            try await publish(publisher, name, number..<number + 1)
                        }
                        var seen: Set<String> = []
                        for try await id in group { if let id { seen.insert(id) } }
                        #expect(seen == Set((0..<1000).map(String.init)))
                    }
                }
                for name in names { try await session.deleteQueue(name) }
            }
        }

        @Test func aDeletedQueueEndsItsReadingAndNoOther() async throws {
            try await TestBroker.withQueue("deleted") { queue, session in
                try await TestBroker.withQueue("kept") { kept, _ in
                    let (reader, publisher) = (try reader(), try publisher())
                    try await withRunning([reader, publisher]) {
                        let (one, other) = (try await read(reader, queue), try await read(reader, kept))
                        try await session.deleteQueue(queue)
                        #expect(await one.next() == nil)
                        try await publish(publisher, kept, 0..<1)
                        #expect(await other.next()?.count == 1)
                        _ = try await session.declare(AMQPQueue(name: queue))
                    }
                }
            }
        }

        @Test func stoppedReadingTellsNothingMoreAndMayAcknowledge() async throws {
            try await TestBroker.withQueue("stop") { queue, session in
                let (reader, publisher) = (try reader(), try publisher())
                try await withRunning([reader, publisher]) {
                    let idle = try await read(reader, queue)
                    async let nothing = idle.next()
                    idle.stop()
                    #expect(await nothing == nil)
                    try await publish(publisher, queue, 0..<3)
                    let reading = try await read(reader, queue)
                    let delivery = try #require(await reading.next()?.first)
                    reading.stop()
                    reading.acknowledge([delivery])
                    #expect(await reading.next() == nil)
                    while try await session.status(ofQueue: queue)?.messageCount != 2 {}
                }
            }
        }

        @Test func theReaderThatHoldsTheMostIsEndedWhenTooMuchIsHeld() async throws {
            try await TestBroker.withQueue("large") { large, session in
                try await TestBroker.withQueue("small") { small, _ in
                    let (reader, publisher) = (try reader(maxHeldBytes: 500_000), try publisher())
                    try await withRunning([reader, publisher]) {
                        let frugal = try await read(reader, small)
                        try await publish(publisher, small, 0..<1)
                        #expect(await frugal.next()?.count == 1)
                        try await publish(publisher, large, 0..<10, bytes: 100_000)
                        let greedy = try await read(reader, large, prefetch: 20)
                        while await greedy.next() != nil {}
                        while try await session.status(ofQueue: large)?.messageCount != 10 {}
                        try await publish(publisher, small, 1..<2)
                        frugal.stop()
                    }
                }
            }
        }

        @Test func gracefulShutdownEndsReadingsAndWaitsForTheirAcknowledgements() async throws {
            try await TestBroker.withQueue("graceful") { queue, session in
                let (reader, publisher) = (try reader(), try publisher())
                try await withRunning([publisher]) {
                    try await publish(publisher, queue, 0..<2)
                    let services = ServiceGroup(services: [reader], logger: TestBroker.logger)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await services.run() }
                        do {
                            let reading = try await read(reader, queue)
                            let delivery = try #require(await reading.next()?.first)
                            await services.triggerGracefulShutdown()
                            #expect(await reading.next() == nil)
                            reading.acknowledge([delivery])
                        }
                        try await group.waitForAll()
                    }
                    let status = try await session.status(ofQueue: queue)
                    #expect(status?.messageCount == 1)
                    await #expect(throws: AMQPError(.closed, "")) { _ = try await read(reader, queue) }
                }
            }
        }

        @Test(.enabled(if: TestBroker.servers != nil)) func readingsSurviveARestartOfTheBroker() async throws {
            try await TestBroker.withQueue("restart") { queue, _ in
                let (reader, publisher) = (try reader(), try publisher())
                try await withRunning([reader, publisher]) {
                    let waiting = try await read(reader, queue)
                    let holding = try await read(reader, queue)
                    try await publish(publisher, queue, 0..<1)
                    async let fromWaiting = waiting.next()
                    async let fromHolding = holding.next()
                    // One of the two readers has received the message and does not acknowledge it.
                    try await TestBroker.servers("restart")
                    try await publish(publisher, queue, 1..<3)
                    let seen = [await fromWaiting, await fromHolding].compactMap { $0?.first?.properties.messageID }
                    #expect(seen.count == 2)
                }
            }
        }
    }
}
