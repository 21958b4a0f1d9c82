/// The limits of the asset service's contract.
package enum AssetLimits {
    /// The largest file that `assets.put` accepts in a message, in bytes.
    package static let maxMessageBytes = 1 << 20
    /// The largest number of receipts that one `assets.rereference` or `assets.receipt` may ask for.
    package static let maxReceipts = 200
}
