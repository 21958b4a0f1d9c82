/// The asset service's limits that callers must observe.
package enum AssetLimits {
    /// The maximum size, in bytes, of a file that `assets.put` accepts in a message.
    package static let maxMessageBytes = 1 << 20
    /// The maximum number of receipts that may be requested in one `assets.rereference` or `assets.receipt` request.
    package static let maxReceipts = 200
}
