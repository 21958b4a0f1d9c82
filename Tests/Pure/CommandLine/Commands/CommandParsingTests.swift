import ArgumentParser
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct CommandParsingTests {
    @Test(
        arguments: [
            "record save --zone Z note title=x", "record save --zone Z --type T note n:int64=x",
            "record save --zone Z --type T - ", "record save --zone Z --type T note a=1 a=2",
            "record save --type T note a=1", "record save --zone Z --operation destroy note",
            "record delete --zone Z --tag t a b", "zone create", "zone create A A", "zone purge --yes", "zone purge A",
            "zone purge A --all --yes", "zone purge A --reason deleted --yes", "import",
            "import f --zone Z --batch 0", "import f --create-zone", "export", "export --zone Z --all",
            "export --zone Z --zone Z",
            "record changes --zone Z --limit 0",
            "zone list --environment staging", "nonsense",
            "asset put", "asset put f --type T", "asset put f --zone Z --type T", "asset put f --name n",
            "asset get --zone Z --name n", "asset get --zone Z --name n --field f --index -1 -o x", "asset stat",
            "asset stat 1234", "asset stat --zone Z --name n", "asset refs --limit 0 --zone Z --name n --field f",
            "asset stat \(String(repeating: "0", count: 64)) --zone Z --name n --field f", "asset jobs --limit 0",
            "asset usage --limit 0", "asset quota", "asset quota --per-user much", "asset quarantine --limit 0",
            "asset reconcile --limit 0",
            "subscribe", "subscribe --where n>5", "subscribe --database-wide --zone Z", "subscribe --zone Z --once",
            "subscribe --database-wide --type T --once", "subscribe --type T --zone Z --all-zones",
            "subscribe --type T --on make", "subscribe --type T --on create,create", "subscribe --zone Z arg",
            "subscribe --type T --where n>%d x", "subscription show", "subscription delete",
            "subscription delete a a", "subscription test", "subscription list --limit -1", "badge set", "badge set x",

            "watch", "watch A A", "watch A --count 0", "watch A --timeout soon",
            "watch --subscription s --subscription s",

            "schema validate", "schema diff a", "schema diff - -", "schema diff a b c",
            "schema import", "schema import f --environment production", "schema reset --environment production",
            "schema export f", "schema status --environment staging", "role assign editors", "role revoke",
            "role assign editors a a", "query check", "query check f==%d x", "record query", "record query n>5",
            "record query --type T --zone Z --all-zones", "record query --type T --limit -1",
            "record query --type T --page-size 0", "record query --type T --sort n:down",
            "record query --type T --sort p:near=here", "record query --type T --sort self",
            "record count --type T --by allTokens", "record count --type T --sum #", "record count --type T --limit 5",
            "record explain --type T --page-size 0", "record explain --type T --limit 5",
            "user create", "user create a@b --password-stdin --password-file f", "user password a@b",
            "user password a@b --remove --password-stdin", "user token", "user token a@b c@d", "user delete",
            "share create --zone Z", "share create --zone Z a --zone-wide", "share create a",
            "share create --zone Z a --public read-only --invite a@b", "share create --zone Z a --invite nobody",
            "share invite --zone Z a", "share invite --zone Z a b@c b@c", "share remove --zone Z a", "share accept",
            "share leave --zone Z a", "share explain --zone Z a", "share list --owner u", "share stop a",
            "record query --type T --owner u", "subscribe --type T --owner u", "asset put f --owner u",
            "token create", "token create a --environment staging", "token revoke", "key add", "key revoke a b",
        ])
    func wrongUsageExitsWith64(line: String) {
        let error = #expect(throws: (any Error).self) {
            try ZondaCommand.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        #expect(error.map { ZondaCommand.exitCode(for: $0) } == .validationFailure)
    }

    @Test(
        arguments: [
            "container create iCloud.org.example", "zone create A B", "zone list --json --database public",
            "zone purge A B --yes", "zone purge --all --reason encryptedDataReset --yes",
            "record save --zone Z --type T note title=x n:int64=5 old:null", "record save --zone Z --json -",
            "record save --zone Z --operation forceDelete note", "record get --zone Z a b",
            "record delete --zone Z --tag t a", "record changes --zone Z --since abc --all --limit 5",
            "import - --zone Z --create-zone --batch 200 --in-flight 4 --rejects r",
            "import f --assets a", "export --all -o f --assets a --json", "export --zone A --zone B",

            "asset put a b --zone Z --type T --field f", "asset put a --message --json",
            "asset put a --zone Z --type T --name n --field f", "asset get --zone Z --name n --field f --index 2 -o x",
            "asset stat \(String(repeating: "0a", count: 32))", "asset refs --zone Z --name n --field f --limit 5",
            "asset jobs --limit 20 --json", "asset usage --user u --limit 5",
            "asset quota --per-user 5 --per-container none", "asset quarantine --json", "asset reconcile --limit 3",
            "subscribe --zone Z --id s --alert Hello --content-available", "subscribe --zone Z --type T",
            "subscribe --database-wide --type T --json", "subscribe --type T", "subscribe --type T --all-zones --once",
            "subscribe --type T --zone Z --where n>%d 5 --on create,delete --field a --field b --badge --sound s",
            "subscribe --type T --zone-wide --collapse k --category c --title t --subtitle s --mutable-content",
            "subscription list", "subscription list --all --limit 0 --json", "subscription show s --user u",
            "subscription test s --json", "subscription delete a b", "badge set 0",

            "watch A B --count 3 --timeout 30s --subscription s --client c --json", "watch --subscription s",

            "schema validate f", "schema validate --print -", "schema diff development production --json",
            "schema diff - production", "schema diff a a", "schema export --environment production -o f",
            "schema import -", "schema deploy --dry-run", "schema deploy --yes", "schema reset --yes",
            "schema status --environment production --json", "role list", "role assign editors a b",
            "role revoke editors a --environment production", "query check n>5 --json", "query check n>%d -- -5",
            "query check f==", "record query --type T", "record query --type T --all-zones n>%@ int64:5 --sort n:desc",
            "record query --type T --sort p:near=48.85,2.35 --sort creationDate:asc --limit 0 --keys a,b --page-size 9",
            "record count --type T --by a --min n --min m --max n --sum n --avg n --json",
            "record explain --type T --zone Z n>5 --sort n --page-size 9 --json",
            "user create a@b --given-name A --family-name B --password-stdin --discoverable --container c",
            "user create a@b --container c --user-record-name _1 --password-file f", "user list --json",
            "share create --zone Z a --title t --type y --invite a@b --permission read-write",
            "share create --zone Z --zone-wide --public read-write", "share list",
            "share list --zone Z --owner u --json",
            "share show --zone Z a --owner u", "share invite --zone Z a b@c --permission none",
            "share remove --zone Z a b@c", "share link --zone Z a --rotate", "share accept l m --show",
            "share leave --zone Z --owner u a", "share stop --zone Z a", "share explain --zone Z --owner u a --user v",
            "record get --zone Z --owner u a --database shared", "record query --type T --zone Z --owner u",
            "export --all --database shared --owner u", "import f --zone Z --owner u",
            "subscribe --zone Z --owner u", "asset put f --zone Z --owner u --type T --field f",
            "user token a@b --stay-signed-in --environment production", "user password a@b --remove",
            "user sign-out a@b", "user delete a@b --yes", "token list --all --json", "token revoke a b",
            "token create web --origin https://a --origin https://b --callback-url https://a/c",
            "key add key.pub.pem --name n --environment production", "key list", "key revoke a",
        ])
    func rightUsageIsAccepted(line: String) throws {
        _ = try ZondaCommand.parseAsRoot(line.split(separator: " ").map(String.init))
    }

    @Test func theArgumentsOfALoadArePassedOnUnreadAlsoHelpAndOptionsOfTheSameName() throws {
        let line = ["load", "records", "--json", "--help", "--", "--producers", "x"]
        let command = try #require(try ZondaCommand.parseAsRoot(line) as? LoadCommand)
        #expect(command.arguments == Array(line.dropFirst()))
    }

    @Test func everyCommandsHelpHasAnExample() {
        var commands: [any ParsableCommand.Type] = [ZondaCommand.self]
        while let command = commands.popLast() {
            let subcommands = command.configuration.subcommands
            commands += subcommands
            guard subcommands.isEmpty || command == ZondaCommand.self else { continue }
            #expect(ZondaCommand.helpMessage(for: command, columns: 100).contains("EXAMPLE"), "\(command)")
        }
    }

    @Test(
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("20s", .seconds(20)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
            ("1.5", .milliseconds(1500)),
        ])
    func durationsAreRead(text: String, duration: Duration) throws {
        #expect(try Duration.parse(text) == duration)
    }
}
