/// Translates the headers and properties of messages to their HTTP equivalents.
package enum WebField {
    private static let names = [
        "message-id": "Idempotency-Key", "zonda-client": "clientId", "zonda-container": "url", "zonda-database": "url",
        "zonda-environment": "url", "zonda-user": "ckWebAuthToken", "zonda-version": "url",
    ]

    /// Returns the `field` of an error over HTTP: the HTTP equivalent if `name` is a header or property, otherwise
    /// `name` itself.
    package static func name(of name: String) -> String { names[name] ?? name }
}
