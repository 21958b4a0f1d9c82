import CloudKitModel
import CloudKitWire
import OperatorMessages
import Testing

/// Expects that a value is encoded as `text`, and that a value that is decoded from `text` is encoded as `text` again.
func expectBody<Body: Codable>(
    _ body: Body, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(
        String(decoding: JSONValue(encoding: body).encoded(), as: UTF8.self) == text, sourceLocation: sourceLocation)
    try expectBody(Body.self, text, sourceLocation: sourceLocation)
}

/// Expects that a value that is decoded from `text` is encoded as `text` again.
func expectBody<Body: Codable>(
    _ type: Body.Type, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let body = try JSONValue(parsing: text).decoded(as: type)
    #expect(
        String(decoding: JSONValue(encoding: body).encoded(), as: UTF8.self) == text, sourceLocation: sourceLocation)
}

/// The error with which a request is refused; nil if it is valid.
func error<Body: OperatorRequest>(_ type: Body.Type, _ text: String) -> ServerError? {
    do throws(ServerError) {
        _ = try Body(json: JSONValue(parsing: text))
        return nil
    } catch {
        return error
    }
}
