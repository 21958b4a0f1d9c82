/// What the asset service's contract allows.
package enum AssetLimits {
    /// The bytes that `assets.put` takes in a message.
    package static let maxMessageBytes = 1 << 20
    /// The receipts that one `assets.rereference` or `assets.receipt` may ask for.
    package static let maxReceipts = 200
}
