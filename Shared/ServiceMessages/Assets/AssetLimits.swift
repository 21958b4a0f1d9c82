/// What the asset service's contract allows.
package enum AssetLimits {
    /// The bytes that `assets.put` takes in a message.
    package static let maxMessageBytes = 1 << 20
}
