/// The places over which a load distributes its records evenly: the shares, and the unshared part of each zone. Without
/// shares, the places are the zones.
struct LoadPlaces: Equatable, Sendable {
    /// The number of zones that are used.
    var zones: Int
    /// The number of shares, which are distributed evenly over the zones.
    var shares: Int

    /// The number of places. The shares are the first places.
    var count: Int { shares + zones }

    /// The numbers of the zones that contain a share.
    var sharedZones: Range<Int> { 0..<min(shares, zones) }

    /// Returns the number of the share that a place is; nil if the records of the place are not shared.
    func share(of place: Int) -> Int? { place < shares ? place : nil }

    /// Returns the number of the zone of a place.
    func zone(of place: Int) -> Int { place < shares ? place % zones : place - shares }
}
