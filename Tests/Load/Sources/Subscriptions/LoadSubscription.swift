/// A saved subscription of a load.
struct LoadSubscription: Sendable {
    /// The subscription's id.
    var id: String
    /// The zone's name.
    var zone: String
}
