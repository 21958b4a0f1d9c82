import AMQPClient
import CloudKitModel
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// `zonda subscribe`, `zonda subscription` and `zonda badge`, as users type them.
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct SubscriptionCommandTests {
        private let stack: ServiceStack
        private let client: TestClient

        init() async throws {
            stack = try SharedStack.current
            client = stack.client()
            try await client.zones("create", "Notes")
            try await client.save("Notes", "first", ["title": "Milk", "n": 1])
        }

        private func subscribe(_ arguments: String...) async throws -> JSONValue {
            try JSONValue(parsing: try await stack.output(of: ["subscribe", "--json"] + arguments, as: client))
        }

        /// Returns the output of `zonda` after it has exited with `status`.
        private func zonda(_ arguments: String..., status: Int32 = 0) async throws -> String {
            let process = try stack.zonda(arguments, as: client)
            let exit = try await process.exit(within: .seconds(30))
            #expect(exit == .code(status), "\(arguments): \(process.errorText)")
            return process.outputText + process.errorText
        }

        @Test func everyKindIsSavedAndListed() async throws {
            let zone = try await subscribe("--zone", "Notes", "--id", "zone", "--alert", "News")
            #expect(zone["subscriptionType"] == "zone")
            #expect(zone["notificationInfo"]?["alertBody"] == "News")
            let typed = try await subscribe("--zone", "Notes", "--type", "Note", "--id", "typed")
            #expect(typed["recordType"] == "Note")
            let database = try await subscribe("--database-wide", "--id", "database", "--content-available")
            #expect(database["subscriptionType"] == "database" || database["zoneWide"] == true)
            let query = try await subscribe(
                "--type", "Note", "--zone", "Notes", "--id", "query", "--where", "n > %d", "5", "--on", "create,update",
                "--field", "title", "--badge")
            #expect(query["query"]?["recordType"] == "Note")
            #expect(query["query"]?["filterBy"]?[0]?["comparator"] == "GREATER_THAN")
            #expect(query["firesOn"] == ["create", "update"])
            #expect(query["notificationInfo"]?["additionalFields"] == ["title"])
            let once = try await subscribe("--type", "Note", "--all-zones", "--once", "--id", "once")
            #expect(once["firesOnce"] == true)
            #expect(once["zoneWide"] == true)
            let lines = try await zonda("subscription", "list").split(separator: "\n").sorted()
            #expect(
                lines == [
                    "database  database", "once  query Note in all zones, once",
                    "query  query Note in Notes where n > 5 on create, update", "typed  zone Notes, Note only",
                    "zone  zone Notes",
                ])
        }

        @Test func aFourthFieldIsRefused() async throws {
            let text = try await zonda(
                "subscribe", "--type", "Note", "--all-zones", "--field", "a", "--field", "b", "--field", "c", "--field",
                "d", status: 1)
            #expect(text.contains("BAD_REQUEST"), "\(text)")
        }

        @Test func aQuerysNotificationIsWatched() async throws {
            _ = try await subscribe(
                "--type", "Note", "--zone", "Notes", "--id", "milk", "--where", "title BEGINSWITH 'Milk'", "--field",
                "title")
            let watch = try stack.zonda(
                ["watch", "--subscription", "milk", "--count", "1", "--timeout", "20s", "--json"], as: client)
            try await eventually("it watches") { watch.errorText.contains("watching") ? true : nil }
            try await client.save("Notes", "a", ["title": "Bread", "n": 1])
            try await client.save("Notes", "b", ["title": "Milk and honey", "n": 1])
            #expect(try await watch.exit(within: .seconds(30)) == .code(0), "\(watch.errorText)")
            let message = try JSONValue(parsing: watch.outputText)
            #expect(message["ck"]?["qry"]?["sid"] == "milk")
            #expect(message["ck"]?["qry"]?["rid"] == "b")
            #expect(message["ck"]?["qry"]?["fo"] == 1)
            #expect(message["ck"]?["qry"]?["af"]?["title"] == "Milk and honey")
            #expect(message["fromSeq"] == message["toSeq"])
        }

        @Test func aSubscriptionsStateIsShown() async throws {
            _ = try await subscribe("--zone", "Notes", "--id", "shown")
            #expect(try await zonda("subscription", "show", "shown").contains("last       never"))
            try await client.save("Notes", "b", ["title": "Bread", "n": 2])
            let state = try await eventually("it was delivered") { () -> JSONValue? in
                let text = try await zonda("subscription", "show", "shown", "--json")
                let json = try JSONValue(parsing: text)
                return json["state"]?["delivered"] == 1 ? json : JSONValue?.none
            }
            #expect(state["subscription"]?["subscriptionID"] == "shown")
            #expect(state["state"]?["lastZone"] == "Notes")
            #expect(state["state"]?["lastSeq"] == 2)
            #expect((state["state"]?["lastAt"]?.int ?? 0) > 0)
            #expect(state["user"]?.string == client.user)
            let missing = try await zonda("subscription", "show", "nothing", status: 1)
            #expect(missing.contains("NOT_FOUND"), "\(missing)")
        }

        @Test func anOperatorListsEverybodys() async throws {
            let other = stack.client()
            try await other.zones("create", "Notes")
            try await other.subscribe("Notes", "others")
            _ = try await subscribe("--zone", "Notes", "--id", "own")
            let all = try await zonda("subscription", "list", "--all", "--limit", "0", "--json")
            let users = try all.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
                .filter {
                    $0["subscription"]?["subscriptionID"] == "others" || $0["subscription"]?["subscriptionID"] == "own"
                }
                .compactMap { $0["user"]?.string }
            #expect(Set(users).isSuperset(of: [client.user, other.user]), "\(all)")
            let one = try await zonda("subscription", "list", "--all", "--user", other.user)
            #expect(one.contains("others") && !one.contains(client.user), "\(one)")
            #expect(one.hasPrefix("ID"), "\(one)")
        }

        @Test func aTestTellsWhereItWent() async throws {
            _ = try await subscribe("--zone", "Notes", "--id", "tested", "--alert", "Hello")
            try await stack.withNotifications(ofSubscription: "tested", of: client) { box in
                let answer = try JSONValue(parsing: try await zonda("subscription", "test", "tested", "--json"))
                #expect(answer["exchange"]?.string == Exchange.notifications)
                #expect(
                    answer["routingKey"]?.string
                        == RoutingKey.userNotification(
                            container: stack.container, environment: .development, user: client.user,
                            subscriptionID: "tested"))
                #expect(answer["routed"] == true)
                #expect(answer["clients"] == [])
                let message = try JSONValue(parsing: try await box.first("the test's notification").body)
                #expect(message["id"] == answer["id"])
                #expect(message["ck"]?["fet"]?["sid"] == "tested")
                #expect(message["aps"]?["alert"] == "Hello")
            }
            _ = try await zonda("subscription", "test", "nothing", status: 1)
        }

        @Test func subscriptionsAreDeleted() async throws {
            for id in ["a", "b"] { _ = try await subscribe("--zone", "Notes", "--id", id) }
            #expect(try await zonda("subscription", "delete", "a", "b") == "a  deleted\nb  deleted\n")
            #expect(try await zonda("subscription", "list") == "")
            let text = try await zonda("subscription", "delete", "a", status: 1)
            #expect(text.contains("NOT_FOUND"), "\(text)")
        }

        @Test func aBadgeIsSet() async throws {
            #expect(try await zonda("badge", "set", "7") == "badge 7\n")
            #expect(try await JSONValue(parsing: zonda("badge", "set", "0", "--json"))["badge"] == 0)
        }
    }
}
