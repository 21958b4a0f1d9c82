internal import CloudKitWire
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension Request {
    /// Whether the client is waiting for `100 Continue` before it sends its body.
    var expectsContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }
}

extension Response {
    /// The response to a complete upload (web-services 7.2).
    static func upload(_ asset: UploadedAsset) -> Response {
        var writer = WireWriter()
        writer.object { asset.write(to: &$0) }
        return Response(
            status: .ok, headers: [.contentType: ErrorAnswer.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: writer.bytes)))
    }
}
