internal import CloudKitWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension Request {
    /// Whether the client waits for `100 Continue` before it sends its body.
    var expectsContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }
}

extension Response {
    /// A JSON document.
    static func json(status: HTTPResponse.Status, _ bytes: [UInt8]) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=UTF-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The answer to a complete upload (web-services 7.2).
    static func upload(_ asset: UploadedAsset) -> Response {
        var writer = WireWriter()
        writer.object { asset.write(to: &$0) }
        return .json(status: .ok, writer.bytes)
    }
}
