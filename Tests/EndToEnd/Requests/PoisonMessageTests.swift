import AMQPClient
import CloudKitWire
import Glibc
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A message that crashes the service every time it is executed.
    @Suite(.timeLimit(.minutes(5))) struct PoisonMessageTests {
        private static let faults = ["ZONDA_FAULTS": "true"]

        @Test func poisonEndsAmongTheDeadLettersAndItsNeighboursAreExecuted() async throws {
            try await ServiceStack.with { stack in
                let client = stack.client()
                let service = try await stack.startService(.record, Self.faults)
                try await client.zones("create", "Notes", "Drafts")
                try await client.save("Notes", "known", ["n": 0])
                service.terminate()
                try await service.exit(within: .seconds(10))

                let poison = client.with(Header.fault, "die-on-receipt")
                    .message(.recordsModify, Self.body("Notes", "poison"))
                let answers = TestMailbox<TestReply>()
                let neighbours = [("Notes", "before"), ("Drafts", "other"), ("Notes", "after")]
                    .map { client.message(.recordsModify, Self.body($0, $1)) }
                try await stack.publisher.publish(neighbours[0])
                let waiting = Task { answers.add(try await client.ask(poison, within: .seconds(240))) }
                for message in neighbours.dropFirst() { try await stack.publisher.publish(message) }

                var deaths = 0
                while answers.elements.isEmpty, deaths < 30 {
                    if try await runUntilItDies(stack, orAnswers: answers) { deaths += 1 }
                }
                try await waiting.value
                let answer = try #require(answers.elements.first)
                #expect(answer.status == 500)
                #expect(answer.body.reasonCode == "request_dead_lettered")
                #expect(deaths == Int(Topology.deliveryLimit) + 1)

                try await TestQueue.withDeliveries(of: Queue.deadLetters, try stack.vhost.configuration()) { box in
                    let id = poison.properties.messageID
                    let dead = try await box.first("the poison") { $0.properties.messageID == id }
                    #expect(dead.properties.headers.string("x-first-death-reason") == "delivery_limit")
                    #expect(dead.body == poison.body)
                    // There is no other dead letter, neither of another message nor of the same one.
                    let ids = box.elements.map { $0.properties.messageID }
                    #expect(ids == [id], "\(neighbours.map(\.properties.messageID)), \(box.elements.map(\.properties))")
                }
                try await client.save("Notes", "last", ["n": 1])
                #expect(Set(try await client.changes("Notes").recordNames) == ["known", "before", "after", "last"])
                #expect(try await client.changes("Drafts").recordNames == ["other"])
            }
        }

        /// Starts a service, and waits until it ends or an answer arrives.
        ///
        /// - Returns: whether the service ended; if not, the answer has arrived.
        private func runUntilItDies(_ stack: ServiceStack, orAnswers answers: TestMailbox<TestReply>) async throws
            -> Bool
        {
            let service = try stack.launchService(.record, Self.faults)
            return try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    let exit = try await service.exit(within: .seconds(60))
                    #expect(exit == .signal(SIGKILL))
                    return true
                }
                group.addTask {
                    _ = try await answers.first("the answer", within: .seconds(60))
                    return false
                }
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
        }

        private static func body(_ zone: String, _ name: String) -> [UInt8] {
            JSONValue.modify(zone, [.operation("create", name, ["n": 1])]).encoded()
        }
    }
}
