/// What one request may ask for. Everything is configurable; these are the defaults.
package struct Limits: Hashable, Sendable {
    /// Operations of a `modify`, or items of a lookup.
    package var maxOperationsPerRequest = 2_000
    /// A request's body, in bytes.
    package var maxBodyBytes = 16 * 1024 * 1024
    /// A record's counted size without its assets, in bytes (`FieldValue.countedSize(named:)`).
    package var maxRecordBytes = 1_048_576
    /// A record, zone, type or field name, in bytes of UTF-8.
    package var maxNameBytes = 255
    /// Records in a reply, when the request does not say.
    package var defaultResults = 200
    /// Records in a reply, whatever the request says.
    package var maxResults = 1_000
    /// Records pointing at one target with `DELETE_SELF`.
    package var maxOwningReferences = 100_000
    /// Records that are deleted with their targets in one transaction; past it a background job goes on.
    package var maxCascade = 10_000
    /// An asset, in bytes.
    package var maxAssetBytes = 250 * 1024 * 1024

    /// The extended defaults.
    package init() {}

    /// Apple's own numbers where they are smaller, for testing clients against them.
    package static let compat: Limits = {
        var limits = Limits()
        limits.maxOperationsPerRequest = 200
        limits.maxBodyBytes = 2 * 1024 * 1024
        limits.maxResults = 200
        limits.maxOwningReferences = 750
        return limits
    }()
}
