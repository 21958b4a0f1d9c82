import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda subscription list`.
struct SubscriptionList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the user's subscriptions of a database, or everybody's with what became of them.",
        discussion: """
            With --all, which is for operators, those of all users, databases and environments of the container: how many \
            notifications were delivered and refused, when the last one was and how many milliseconds after its \
            change. --environment, --database and --user, when they are given, choose among them.

            EXAMPLES
              zonda subscription list
              zonda subscription list --database public --json
              zonda subscription list --all --environment production
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "Everybody's, with their states.")
    var all = false

    @Option(help: "The most subscriptions to list with --all; 0 lists all.")
    var limit = 1000

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit is at least 0") }
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
        var listed: [JSONValue] = []
        let container = try global.scope().container
        var hasMore = false
        try await session.subscriptionStates(question(container: container)) { page in
            let rest = limit == 0 ? page.count : limit - listed.count
            listed += page.prefix(rest)
            hasMore = hasMore || page.count > rest
            return limit == 0 || listed.count < limit
        }
        for line in lines(listed) { Console.print(line) }
        if hasMore || (limit > 0 && listed.count == limit) {
            Console.report("there may be more: give a --limit above \(limit.grouped), or 0")
        }
    }

    /// The body of the question.
    func question(container: String) -> [(String, JSONValue?)] {
        [
            ("container", .string(container)),
            ("environment", global.environment.map { .string($0.rawValue) }),
            ("database", global.database.map { .string($0.wireName) }),
            ("user", global.user.map { .string($0) }),
        ]
    }

    /// An object a line, or a table.
    func lines(_ listed: [JSONValue]) -> [String] {
        guard !global.json else { return listed.map(\.text) }
        var table = TextTable()
        table.add(SubscriptionState.columns)
        for json in listed { table.add(SubscriptionState(json: json).cells) }
        return table.lines
    }
}
