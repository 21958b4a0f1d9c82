import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import OperatorMessages
import ServiceMessages

/// `zonda subscription list`.
struct SubscriptionList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the user's subscriptions in a database, or all users' subscriptions with delivery statistics.",
        discussion: """
            --all, for operators, lists the subscriptions of all users, databases and environments of the container. \
            For each, it prints the numbers of delivered and refused notifications, the time of the last notification, \
            and its delay after the change, in milliseconds. --environment, --database and --user filter the list.

            EXAMPLES
              zonda subscription list
              zonda subscription list --database public --json
              zonda subscription list --all --environment production
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "List the subscriptions of all users, with delivery statistics.")
    var all = false

    @Option(help: "The maximum number of subscriptions that --all lists; 0 for no limit.")
    var limit = 1000

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must be at least 0") }
    }

    func run() async throws {
        try await global.withSession { session in
            if all { try await listAll(session) } else { try await listOwn(session) }
        }
    }

    private func listOwn(_ session: some Requester) async throws {
        let answer = try await session.ask(.subscriptionsList, [:], limit: .requestLimit)
        var isGood = true
        for subscription in answer["subscriptions"]?.array ?? [] {
            isGood = global.show(subscription, line: SubscriptionLine.text) && isGood
        }
        guard isGood else { throw ExitCode.failure }
    }

    private func listAll(_ session: some Requester) async throws {
        var listed: [SubscriptionDescription] = []
        let container = try global.scope().container
        var hasMore = false
        try await session.subscriptionStates(request(container: container)) { page in
            let rest = limit == 0 ? page.count : limit - listed.count
            listed += page.prefix(rest)
            hasMore = hasMore || page.count > rest
            return limit == 0 || listed.count < limit
        }
        for line in lines(listed) { Console.print(line) }
        if hasMore || (limit > 0 && listed.count == limit) {
            Console.report(
                "more subscriptions may exist: increase --limit above \(limit.grouped), or set it to 0 for all")
        }
    }

    /// Returns the request for the container's subscriptions that match the options.
    func request(container: String) -> SubscriptionsStatesRequest {
        SubscriptionsStatesRequest(
            container: container, environment: global.environment?.rawValue, database: global.database,
            user: global.user)
    }

    /// Returns the lines of the output: one object per line, or a table.
    func lines(_ listed: [SubscriptionDescription]) -> [String] {
        guard !global.json else { return listed.map { JSONValue(encoding: $0).text } }
        var table = TextTable()
        table.add(SubscriptionDescription.columns)
        for subscription in listed { table.add(subscription.cells) }
        return table.lines
    }
}
