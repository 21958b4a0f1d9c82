/// What the asset service's contract allows.
package enum AssetLimits {
    /// The bytes that `assets.put` takes in a message.
    package static let maxMessageBytes = 1 << 20
    /// The tokens of one `assets.upload` (web-services 2.10).
    package static let maxUploadTokens = 200
}
