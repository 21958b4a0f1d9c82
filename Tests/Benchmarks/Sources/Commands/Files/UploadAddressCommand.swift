internal import ArgumentParser
internal import CloudKitWire
import ServiceMessages

/// `zonda-limits upload-address`.
struct UploadAddressCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload-address",
        abstract: "Request the URL of an upload from the asset service, and print it.",
        discussion: "This allows an upload to be measured without the other work of `zonda asset put`.")

    func run() async throws {
        let body = JSONValue.object([.init("tokens", [["fieldName": "file"]])])
        let answer = try JSONValue(parsing: try await ServiceAnswer.to(.assetsUpload, body: body.encoded()))
        guard let url = answer["tokens"]?[0]?["url"]?.string else {
            throw LimitFailure("the service's answer has no URL")
        }
        print(url)
    }
}
