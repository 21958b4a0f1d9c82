import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import Logging
import RequestServing
import ServiceMessages
import ServiceRuntime
import Synchronization
import Testing

struct ProducerRulesTests {
    private static let container = "iCloud.org.example.demo"
    private static let user = "_00000000000000000000000000000001"
    private static let other = "_00000000000000000000000000000002"

    private static let rules = """
        {"producers": [
          {"user": "loader", "containers": ["\(container)"], "environments": ["development"],
           "databases": ["private"], "users": ["\(user)"], "operations": ["records.modify", "schema.status"]},
          {"user": "reader", "containers": "*", "environments": "*", "databases": ["public"], "users": ["_world"],
           "operations": ["records.lookup"]},
          {"user": "reader", "containers": ["\(container)"], "environments": "*", "databases": "*", "users": ["\(user)"],
           "operations": "*"},
          {"user": "gateway", "containers": "*", "environments": "*", "databases": "*", "users": "*",
           "operations": "*", "identity": true},
          {"user": "operator", "admin": true}, {"user": "nobody"}]}
        """

    /// A request, and the name of the property that makes it forbidden; nil if it is allowed.
    struct Case: Sendable, CustomStringConvertible {
        var from: String?
        var operation = ServiceMessages.Operation.recordsModify
        var container = ProducerRulesTests.container
        var environment = "development"
        var database = "private"
        var user = ProducerRulesTests.user
        var email: String?
        var refused: String?

        var description: String { "\(from ?? "-") \(operation.rawValue) \(refused ?? "good")" }
    }

    @Test(arguments: [
        Case(from: "loader", refused: nil),
        Case(from: "gateway", operation: .recordsAccept, database: "public", email: "ada@example.org", refused: nil),
        Case(from: "reader", operation: .recordsAccept, email: "ada@example.org", refused: Header.identity),
        Case(from: "loader", email: "ada@example.org", refused: Header.identity),
        Case(from: "loader", container: "iCloud.org.example.demo2", refused: Header.container),
        Case(from: "loader", container: "icloud.org.example.demo", refused: Header.container),
        Case(from: "loader", environment: "production", refused: Header.environment),
        Case(from: "loader", database: "public", refused: Header.database),
        Case(from: "loader", user: other, refused: Header.user),
        Case(from: "loader", operation: .recordsLookup, refused: "routing-key"),
        Case(from: "loader", operation: .schemaStatus, refused: nil),
        Case(from: "loader", operation: .containersCreate, refused: "routing-key"),
        Case(from: "reader", operation: .recordsLookup, database: "public", user: "_world", refused: nil),
        Case(
            from: "reader", operation: .recordsLookup, container: "iCloud.other", database: "public", user: "_world",
            refused: nil),
        // Neither of the two entries alone allows the request.
        Case(from: "reader", operation: .recordsModify, container: "iCloud.other", refused: Header.container),
        Case(from: "reader", operation: .recordsModify, refused: nil),
        Case(from: "reader", operation: .zonesList, environment: "production", refused: nil),
        Case(from: "reader", operation: .schemaStatus, refused: "routing-key"),
        Case(from: "operator", operation: .containersCreate, refused: nil),
        Case(from: "operator", refused: "routing-key"),
        Case(from: "nobody", refused: "routing-key"),
        Case(from: "stranger", refused: "user-id"), Case(from: "", refused: "user-id"),
        Case(from: nil, refused: "user-id"), Case(from: "*", refused: "user-id"),
    ])
    func whatNoEntryAllowsIsRefused(_ request: Case) throws {
        let rules = try ProducerRules(parsing: Array(Self.rules.utf8))
        var headers: AMQPTable = [
            Header.container: .string(request.container), Header.environment: .string(request.environment),
            Header.database: .string(request.database), Header.user: .string(request.user),
        ]
        if let email = request.email { headers[Header.identity] = .string(email) }
        let properties = AMQPProperties(messageID: "1", headers: headers)
        let context = try RequestContext(properties, operation: request.operation)
        var refused: String?
        do throws(ServerError) {
            try rules.admit(request.operation, context, from: request.from)
        } catch {
            refused = error.field
            #expect(error.code == .accessDenied)
            #expect(error.reasonCode == "producer_not_allowed")
        }
        #expect(refused == request.refused)
    }

    @Test(arguments: [
        ("", "producers"), ("[]", "producers"), ("{", "JSON"), (#"{"producers": {}}"#, "producers"),
        (#"{"producers": [], "more": 1}"#, "producers"), (#"{"producers": [1]}"#, "producers[0]"),
        (#"{"producers": [{}]}"#, "producers[0].user"), (#"{"producers": [{"user": ""}]}"#, "producers[0].user"),
        (
            #"{"producers": [{"user": "a"}, {"user": "b", "container": "*"}]}"#,
            "producers[1] has the unknown key 'container'"
        ),
        (#"{"producers": [{"user": "a", "containers": "iCloud.a"}]}"#, "producers[0].containers"),
        (#"{"producers": [{"user": "a", "containers": ["iCloud.a*", ""]}]}"#, "producers[0].containers"),
        (#"{"producers": [{"user": "a", "environments": ["test"]}]}"#, "producers[0].environments"),
        (#"{"producers": [{"user": "a", "databases": ["secret"]}]}"#, "producers[0].databases"),
        (#"{"producers": [{"user": "a", "users": ["joe"]}]}"#, "producers[0].users"),
        (#"{"producers": [{"user": "a", "operations": ["records.*"]}]}"#, "producers[0].operations"),
        (#"{"producers": [{"user": "a", "operations": ["changes.log"]}]}"#, "producers[0].operations"),
        (#"{"producers": [{"user": "a", "admin": "yes"}]}"#, "producers[0].admin"),
        (#"{"producers": [{"user": "a", "identity": "yes"}]}"#, "producers[0].identity"),
    ])
    func whatIsNotUnderstoodIsNotPassedOver(text: String, named: String) {
        let fault = #expect(throws: ProducersFault.self) { _ = try ProducerRules(parsing: Array(text.utf8)) }
        #expect(fault?.description.contains(named) == true, "\(fault?.description ?? "")")
    }
}

struct ProducersTests {
    /// A clock that advances only on request, and a file.
    private final class Place: Sendable {
        let path = FileManager.default.temporaryDirectory.appending(path: "producers-\(UUID()).json").path
        private let ahead = Mutex(Duration.zero)
        private let start = ContinuousClock.now

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var now: ContinuousClock.Instant { start + ahead.withLock { $0 } }

        func wait(_ time: Duration) { ahead.withLock { $0 += time } }

        func write(_ user: String) throws {
            try #"{"producers": [{"user": "\#(user)", "admin": true}]}"#.write(
                toFile: path, atomically: true, encoding: .utf8)
        }
    }

    private func may(_ user: String, _ producers: Producers, by exchange: String = Exchange.admin) throws -> Bool {
        let operation = ServiceMessages.Operation.containersList
        let context = try RequestContext(AMQPProperties(), operation: operation)
        do throws(ServerError) {
            try producers.admit(operation, context, from: user, by: exchange)
            return true
        } catch {
            return false
        }
    }

    @Test func aChangedFileHoldsSoonAndABrokenOneLeavesTheFormer() throws {
        let place = Place()
        try place.write("one")
        let metrics = ServiceMetrics()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let producers = try #require(
            Producers(try ProducersFile(path: place.path), metrics: metrics, logger: logger) { place.now })
        #expect(try may("one", producers))
        #expect(try !may("two", producers))
        try place.write("two")
        #expect(try !may("two", producers))
        place.wait(.seconds(3))
        #expect(try may("two", producers))
        #expect(try !may("one", producers))
        try "{".write(toFile: place.path, atomically: true, encoding: .utf8)
        place.wait(.seconds(3))
        #expect(try may("two", producers))
        #expect(metrics.rendered().contains("zonda_producers_file_stale 1"))
        try FileManager.default.removeItem(atPath: place.path)
        place.wait(.seconds(3))
        #expect(try may("two", producers))
        try place.write("one")
        place.wait(.seconds(3))
        #expect(try may("one", producers))
        #expect(metrics.rendered().contains("zonda_producers_file_stale 0"))
        #expect(metrics.rendered().contains("zonda_producers_refused_total 3"))
    }

    @Test(arguments: [Exchange.internal, Exchange.consumers])
    func whatTheBrokerKeepsApartIsNotLookedAt(exchange: String) throws {
        let place = Place()
        try place.write("one")
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let producers = try #require(
            Producers(try ProducersFile(path: place.path), metrics: ServiceMetrics(), logger: logger))
        #expect(try may("stranger", producers, by: exchange))
    }

    @Test func aRequestIsRefusedBeforeAnythingIsDone() throws {
        let place = Place()
        try place.write("one")
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let reader = RequestReader(
            limits: Limits(),
            producers: Producers(try ProducersFile(path: place.path), metrics: ServiceMetrics(), logger: logger))
        let delivery = AMQPDelivery(
            queue: Queue.recordAdmin, deliveryTag: 1, exchange: Exchange.admin, routingKey: "containers.list",
            properties: AMQPProperties(userID: "two"), body: [])
        guard case .refused(let answer, _) = reader.open(delivery, now: 0) else {
            Issue.record("the request was not refused")
            return
        }
        #expect(answer.status == 403)
        #expect(try JSONValue(parsing: answer.body)["reasonCode"] == "producer_not_allowed")
        var good = delivery
        good.properties.userID = "one"
        guard case .sound = reader.open(good, now: 0) else {
            Issue.record("the request was refused")
            return
        }
    }
}
