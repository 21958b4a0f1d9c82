/// An angle in degrees.
public typealias CLLocationDegrees = Double
/// A distance in metres.
public typealias CLLocationDistance = Double
/// The radius of uncertainty in metres; negative if the position is invalid.
public typealias CLLocationAccuracy = Double
/// A speed in metres per second; negative if it is unknown.
public typealias CLLocationSpeed = Double
/// The uncertainty of a speed in metres per second; negative if the speed is unknown.
public typealias CLLocationSpeedAccuracy = Double
/// A direction in degrees clockwise from north; negative if it is unknown.
public typealias CLLocationDirection = Double
/// The uncertainty of a direction in degrees; negative if the direction is unknown.
public typealias CLLocationDirectionAccuracy = Double

/// A position on the earth by its latitude and longitude.
public struct CLLocationCoordinate2D: Sendable {
    /// The degrees north of the equator.
    public var latitude: CLLocationDegrees
    /// The degrees east of Greenwich.
    public var longitude: CLLocationDegrees

    /// Creates the position 0, 0.
    public init() { self.init(latitude: 0, longitude: 0) }

    /// Creates a position.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A position that is not on the earth.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Returns whether the latitude and longitude are in the range of degrees that exist.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    (-90...90).contains(coord.latitude) && (-180...180).contains(coord.longitude)
}

/// Returns a position.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
