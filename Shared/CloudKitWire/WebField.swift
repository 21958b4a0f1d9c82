/// What stands in a request over HTTP for the header or property of a message.
package enum WebField {
    private static let names = [
        "message-id": "Idempotency-Key", "zonda-client": "clientId", "zonda-container": "url", "zonda-database": "url",
        "zonda-environment": "url", "zonda-user": "ckWebAuthToken", "zonda-version": "url",
    ]

    /// What an error's `field` is called over HTTP: `name` itself, unless it is a header's.
    package static func name(of name: String) -> String { names[name] ?? name }
}
