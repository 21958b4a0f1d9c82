internal import AMQPClient
package import CloudKitModel
internal import CloudKitWire
package import OperatorMessages

extension OperatorRequest {
    /// Decodes the body of a request.
    ///
    /// - Throws: `BAD_REQUEST` for an invalid body, as in ``OperatorRequest/init(json:)``.
    package init(_ request: OpenedRequest) throws(ServerError) {
        try self.init(json: JSONValue(parsing: request.delivery.body))
    }
}

extension Answer {
    /// Creates the answer to an operator's request.
    package init(_ body: some Encodable) { self.init(status: 200, body: JSONValue(encoding: body).encoded()) }
}
