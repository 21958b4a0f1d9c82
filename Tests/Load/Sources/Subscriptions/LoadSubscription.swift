/// A saved subscription of a load.
struct LoadSubscription: Sendable {
    /// Its id.
    var id: String
    /// The zone's name.
    var zone: String
}
