import ServiceMessages
import Testing

/// The effect of the rights' patterns in RabbitMQ.
struct BrokerRightsTests {
    @Test(arguments: [
        ("record.writes", true), ("record.reads", true), ("record.dead", true), ("asset.requests", false),
        ("record.writes2", false), ("recordXwrites", false), ("my.record.writes", false), ("dead-letters", false),
    ])
    func theRecordServiceReadsItsOwnQueuesOnly(resource: String, isAllowed: Bool) throws {
        #expect(try matches(BrokerRights.of(.record).read, resource) == isAllowed)
    }

    @Test(arguments: [
        ("zonda.notifications", true), ("zonda.internal", true), ("amq.default", true), ("zonda.changes", false),
        ("zonda.requests", false), ("zonda.admin", false), ("", false),
    ])
    func theSubscriptionServicePublishesWhatItMust(resource: String, isAllowed: Bool) throws {
        #expect(try matches(BrokerRights.of(.subscription).write, resource) == isAllowed)
    }

    @Test(arguments: [
        ("asset.jobs.wait.60s", true), ("asset.jobs", false), ("asset.jobsXwaitX60s", false), ("zonda.delay", false),
    ])
    func theAssetServiceDeclaresItsWaitQueuesOnly(resource: String, isAllowed: Bool) throws {
        #expect(try matches(BrokerRights.of(.asset).configure, resource) == isAllowed)
    }

    @Test(arguments: [
        ("client.00ff", true), ("client", false), ("clientX00ff", false), ("subscription.drops", false),
        ("notifications.log", false), ("consumer.web", false),
    ])
    func theSubscriptionServiceDeclaresClientsQueuesOnly(resource: String, isAllowed: Bool) throws {
        #expect(try matches(BrokerRights.of(.subscription).configure, resource) == isAllowed)
    }

    @Test func nothingMatchesNothing() throws {
        #expect(try !matches(.none, "record.writes"))
        #expect(try matches(.all, "record.writes"))
    }

    private func matches(_ resources: BrokerRights.Resources, _ name: String) throws -> Bool {
        try name.contains(Regex(resources.pattern))
    }
}
