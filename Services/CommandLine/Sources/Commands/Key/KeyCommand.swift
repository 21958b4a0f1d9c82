import ArgumentParser
import CommandLineSession

/// `zonda key …`: operator commands.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Register, list and revoke a container's server-to-server keys.",
        discussion: """
            The holder of the private key signs requests to the container's public database, and acts in it as a \
            separate user. To create a key pair, run:

              openssl ecparam -name prime256v1 -genkey -noout -out key.pem
              openssl ec -in key.pem -pubout -out key.pub.pem
            """,
        subcommands: [KeyAdd.self, KeyList.self, KeyRevoke.self])
}
