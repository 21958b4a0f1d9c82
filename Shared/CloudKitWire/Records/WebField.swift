/// Translates the headers and properties of messages to their HTTP equivalents.
package enum WebField {
    private static let names = [
        "message-id": "Idempotency-Key", "zonda-client": "clientId", "zonda-container": "url", "zonda-database": "url",
        "zonda-environment": "url", "zonda-user": "ckWebAuthToken", "zonda-version": "url",
    ]

    /// The name of an error's `field` over HTTP: `name` itself, unless it is the name of a header or property.
    package static func name(of name: String) -> String { names[name] ?? name }
}
