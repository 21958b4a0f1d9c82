import AMQPClient
import Foundation
import ServiceMessages
import TestSupport

extension ServiceStack {
    /// Starts `zonda` with a client's settings in the environment.
    func zonda(_ arguments: [String], as client: TestClient) throws -> ChildProcess {
        let settings = [
            "ZONDA_AMQP_URL": vhost.url, "ZONDA_CONTAINER": client.container, "ZONDA_USER": client.user,
            "ZONDA_ENVIRONMENT": "development", "ZONDA_DATABASE": client.headers.string(Header.database) ?? "",
            "XDG_STATE_HOME": assetFolder.appending(path: "state").path,
        ]
        return try ChildProcess(
            "\(environment.binaries)/zonda", arguments,
            environment: ProcessInfo.processInfo.environment.merging(settings) { $1 })
    }

    /// Returns the output of `zonda` after it has exited with status 0.
    func output(of arguments: [String], as client: TestClient) async throws -> String {
        let process = try zonda(arguments, as: client)
        let exit = try await process.exit(within: .seconds(30))
        guard exit == .code(0) else { throw CommandFailed(arguments: arguments, text: process.errorText) }
        return process.outputText
    }

    /// The error thrown when a command did not exit with status 0.
    struct CommandFailed: Error {
        let arguments: [String]
        let text: String
    }
}
