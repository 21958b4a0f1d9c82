package import CloudKitModel

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Distances on the surface of a sphere. They are computed as PostgreSQL computes them from the points in its index:
/// first the chord between two points of the unit sphere, then the arc. Altitude is ignored.
package enum GreatCircle {
    /// The earth's mean radius in metres (IUGG).
    package static let earthRadius = 6_371_008.8

    /// Returns the distance between two locations in metres.
    package static func metres(_ one: Location, _ other: Location) -> Double {
        let (a, b) = (point(one), point(other))
        let (x, y, z) = (a.x - b.x, a.y - b.y, a.z - b.z)
        return 2 * earthRadius * asin(min(1, (x * x + y * y + z * z).squareRoot() / 2))
    }

    /// Returns the chord on the unit sphere that corresponds to a distance along the earth's surface.
    package static func chord(of metres: Double) -> Double { 2 * sin(metres / (2 * earthRadius)) }

    private static func point(_ place: Location) -> (x: Double, y: Double, z: Double) {
        let (latitude, longitude) = (radians(place.latitude), radians(place.longitude))
        return (cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    private static func radians(_ degrees: Double) -> Double { degrees * (Double.pi / 180) }
}
