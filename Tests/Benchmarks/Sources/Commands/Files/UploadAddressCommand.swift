internal import ArgumentParser
internal import CloudKitWire
import ServiceMessages

/// `zonda-limits upload-address`.
struct UploadAddressCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload-address",
        abstract: "Asks the asset service where a file can be uploaded, and prints the URL.",
        discussion: "So that an upload can be timed without what `zonda asset put` does besides.")

    func run() async throws {
        let body = JSONValue.object([.init("tokens", [["fieldName": "file"]])])
        let answer = try JSONValue(parsing: try await ServiceAnswer.to(.assetsUpload, body: body.encoded()))
        guard let url = answer["tokens"]?[0]?["url"]?.string else {
            throw LimitFailure("the service's answer has no address")
        }
        print(url)
    }
}
