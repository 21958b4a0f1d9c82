import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import Logging
import ServiceMessages
import Testing

@testable import CommandLineSession
@testable import FakeServices
@testable import LoadGenerator

/// Loads whose notifications are sent over a real broker. They use the same names as services, with a separate
/// container.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(if: WatchedBroker.url != nil, "needs ZONDA_TEST_AMQP_URL"))
struct WatchedLoadTests {
    private let broker: WatchedBroker

    private var configuration: AMQPConfiguration { broker.configuration }
    private var database: WatchedDatabase { broker.database }

    init() async throws { broker = try await WatchedBroker() }

    private func load(_ fault: NotifyingService.Fault) async throws -> WatchedReport {
        var plan = WatchedPlan()
        plan.producers = 2
        plan.inFlight = 1
        plan.zones = 2
        plan.watchers = 3
        plan.duration = .seconds(60)
        plan.requestsPerSlot = 30
        plan.settle = fault == .loses ? .milliseconds(500) : .seconds(20)
        return try await broker.withPublisher { [self] publisher in
            let service = NotifyingService(fault, publisher) { news in
                AMQPMessage(
                    exchange: Exchange.notifications,
                    routingKey: news.subscriptionID.map(database.key(ofSubscription:))
                        ?? database.key(ofZone: news.zone),
                    // The incarnation distinguishes zones.
                    body: try ZoneNotification.made(
                        id: news.id, zone: news.zone, incarnation: news.zone, from: news.seq, to: news.seq,
                        records: [(news.name, news.kind)], subscriptionID: news.subscriptionID
                    ).json.encoded())
            }
            let report = try await WatchedLoad(
                plan: plan, producers: [service, service], database: database, configuration: configuration
            ).run()
            let left = try await AMQPChannelSession.with(configuration) { session in
                try await session.status(ofQueue: "notifications.load.\(plan.names.zonePrefix).0")
            }
            #expect(left == nil)
            // One of the three watchers subscribes to both zones.
            #expect(report.subscriptions == 2)
            let (savedCount, leftCount) = await (service.savedCount, service.subscriptions.count)
            #expect(savedCount == 2)
            #expect(leftCount == 0)
            return report
        }
    }

    @Test func aLoadWhoseNotificationsAllArrivePassesWithEveryKey() async throws {
        let report = try await load(.none)
        #expect(report.isGood, "\(report.json.text)")
        #expect(report.findings.repeated == 0)
        // Three watchers are notified of both zones.
        #expect(report.findings.notifications == 3 * report.counts.acknowledged)
        #expect(report.latencies.count == UInt64(report.findings.notifications))
        #expect(report.settledAfter != nil)
        for key in [
            "acknowledged", "failed", "notifications", "lost", "repeated", "unknownRepeats", "outOfOrder",
            "subscriptions", "perSecond", "p50", "p90", "p99", "p999", "settledAfter", "errors",
        ] { #expect(report.json[key] != nil, "\(key)") }
    }

    @Test func aLoadFindsWhatWasLostForEachWatcher() async throws {
        let report = try await load(.loses)
        #expect(report.findings.lost == 6)
        #expect(report.settledAfter == nil)
        #expect(report.json["settledAfter"]?.isNull == true)
        #expect(!report.isGood)
    }

    @Test func aLoadCountsRepeatsWhichAreAllowed() async throws {
        let report = try await load(.repeats)
        #expect(report.findings.repeated == 6)
        #expect(report.isGood)
    }

    @Test func aLoadFindsRepeatsUnderOtherIDs() async throws {
        let report = try await load(.renames)
        #expect(report.findings.repeated == 6)
        #expect(report.findings.unknownRepeats == 6)
        #expect(!report.isGood)
    }

    @Test func aLoadFindsDisorder() async throws {
        let report = try await load(.swaps)
        #expect(report.findings.outOfOrder == 6)
        #expect(report.findings.lost == 0)
        #expect(!report.isGood)
    }
}
