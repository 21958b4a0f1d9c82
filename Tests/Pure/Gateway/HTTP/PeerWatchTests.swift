import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import Gateway

@Suite struct PeerWatchTests {
    /// A log handler that stores the messages.
    private final class Lines: LogHandler, Sendable {
        let messages = Mutex<[String]>([])
        var logLevel: Logger.Level {
            get { .info }
            set { _ = newValue }
        }
        var metadata: Logger.Metadata {
            get { [:] }
            set { _ = newValue }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set { _ = newValue }
        }

        func log(event: LogEvent) { messages.withLock { $0.append("\(event.message)") } }
    }

    /// Returns the number of warnings that all requests come from one address.
    private func warnings(
        _ peers: [String], _ headers: HTTPFields = [:], hasProxies: Bool = false
    ) -> Int {
        let lines = Lines()
        let watch = PeerWatch(hasProxies: hasProxies, logger: Logger(label: "test") { _ in lines })
        for index in 0..<2 * PeerWatch.sample { watch.note(peer: peers[index % peers.count], headers) }
        return lines.messages.withLock { $0.count }
    }

    @Test func onePrivateAddressForAllClientsIsReportedOnce() throws {
        #expect(warnings(["172.17.0.1"]) == 1)
        #expect(warnings(["fd00::1"]) == 1)
        let forwarded: HTTPFields = [try #require(HTTPField.Name("X-Forwarded-For")): "192.0.2.1"]
        #expect(warnings(["127.0.0.1"], forwarded) == 1)
    }

    @Test func otherAddressesAreNotReported() {
        #expect(warnings(["127.0.0.1"]) == 0)
        #expect(warnings(["192.0.2.1"]) == 0)
        #expect(warnings(["10.0.0.1", "10.0.0.2"]) == 0)
        #expect(warnings(["10.0.0.1"], hasProxies: true) == 0)
    }
}
