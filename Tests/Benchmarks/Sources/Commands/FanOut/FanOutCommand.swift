internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits fan-out`.
struct FanOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fan-out",
        abstract: "Compare the notification rate of the running service with that of a bare publisher.",
        discussion: """
            'zone': several queues are bound to one zone, in which records are saved. 'users': several users have \
            saved a query subscription in the public database, and each saved record matches all of them. 'shared': a \
            record is shared with several users, each of whom watches the shared database, and records are saved below \
            it. Then the received messages are published again, to the same exchange and the same queues. The time is \
            measured from the first save or publish to the last receipt. Prints {"notifications", "seconds", \
            "perSecond", "barePerSecond"}.
            """)

    @Argument(help: "zone, users or shared.")
    var kind: FanOut.Kind

    @Option(help: "The number of queues or users.")
    var listeners = 500

    @Option(help: "The number of records to save.")
    var changes = 100

    func validate() throws {
        guard (1...2000).contains(listeners), (1...100_000).contains(changes) else {
            throw ValidationError("--listeners 1 to 2000, --changes 1 to 100000")
        }
        // The default of limit.participants.
        guard kind != .shared || listeners <= 100 else { throw ValidationError("--listeners 1 to 100 for shared") }
    }

    func run() async throws {
        let (service, bare) = try await FanOut(kind: kind, listeners: listeners, changes: changes).run()
        printLine(
            .object(
                service.members(unit: "notifications")
                    + [.init("barePerSecond", .double(bare.perSecond.rounded(places: 1)))]))
    }
}
