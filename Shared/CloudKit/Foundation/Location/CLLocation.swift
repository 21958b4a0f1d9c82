internal import CloudKitModel
internal import CloudKitQuery
public import Foundation

/// A point on the earth, as a record stores it. It replaces Core Location's class, which does not exist on Linux, and
/// has the parts of it that records and queries need.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The latitude and longitude.
    public let coordinate: CLLocationCoordinate2D
    /// The height above the sea in metres. It is valid if ``verticalAccuracy`` is positive.
    public let altitude: CLLocationDistance
    /// The radius of uncertainty of the coordinate in metres; negative if the coordinate is invalid.
    public let horizontalAccuracy: CLLocationAccuracy
    /// The uncertainty of the altitude in metres; negative or zero if the altitude is invalid.
    public let verticalAccuracy: CLLocationAccuracy
    /// The direction of travel in degrees clockwise from north; negative if it is unknown.
    public let course: CLLocationDirection
    /// The uncertainty of the course in degrees; negative if the course is unknown. Records do not store it.
    public let courseAccuracy: CLLocationDirectionAccuracy
    /// The speed in metres per second; negative if it is unknown.
    public let speed: CLLocationSpeed
    /// The uncertainty of the speed in metres per second; negative if the speed is unknown. Records do not store it.
    public let speedAccuracy: CLLocationSpeedAccuracy
    /// The time at which the location was determined.
    public let timestamp: Date

    /// Creates a location with a coordinate and the present time.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
    }

    /// Creates a location without course and speed.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            course: -1, speed: -1, timestamp: timestamp)
    }

    /// Creates a location with course and speed.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed,
        timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            course: course, courseAccuracy: -1, speed: speed, speedAccuracy: -1, timestamp: timestamp)
    }

    /// Creates a location with course and speed and their uncertainties.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        horizontalAccuracy = hAccuracy
        verticalAccuracy = vAccuracy
        self.course = course
        self.courseAccuracy = courseAccuracy
        self.speed = speed
        self.speedAccuracy = speedAccuracy
        self.timestamp = timestamp
        super.init()
    }

    /// Returns the distance to `location` along the earth's surface in metres, on the sphere on which queries measure
    /// distances.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        func place(_ location: CLLocation) -> Location {
            Location(latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
        }
        return GreatCircle.metres(place(self), place(location))
    }

    // MARK: - NSObject

    /// Returns this object, because locations do not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether `object` is a location with the same values.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CLLocation else { return false }
        return coordinate.latitude == other.coordinate.latitude && coordinate.longitude == other.coordinate.longitude
            && altitude == other.altitude && horizontalAccuracy == other.horizontalAccuracy
            && verticalAccuracy == other.verticalAccuracy && course == other.course && speed == other.speed
            && timestamp == other.timestamp
    }

    /// The hash of the coordinate.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(coordinate.latitude)
        hasher.combine(coordinate.longitude)
        return hasher.finalize()
    }

    /// The coordinate, accuracy, speed, course and time.
    open override var description: String {
        "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m "
            + "(speed \(speed) mps / course \(course)) @ \(timestamp)"
    }

    // MARK: - NSSecureCoding

    private enum Key {
        static let latitude = "kCLLocationCodingKeyCoordinateLatitude"
        static let longitude = "kCLLocationCodingKeyCoordinateLongitude"
        static let altitude = "kCLLocationCodingKeyAltitude"
        static let horizontalAccuracy = "kCLLocationCodingKeyHorizontalAccuracy"
        static let verticalAccuracy = "kCLLocationCodingKeyVerticalAccuracy"
        static let course = "kCLLocationCodingKeyCourse"
        static let courseAccuracy = "kCLLocationCodingKeyCourseAccuracy"
        static let speed = "kCLLocationCodingKeySpeed"
        static let speedAccuracy = "kCLLocationCodingKeySpeedAccuracy"
        static let timestamp = "kCLLocationCodingKeyTimestamp"
    }

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a location from an archive. Returns nil if it has no coordinate.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: Key.latitude), coder.containsValue(forKey: Key.longitude) else { return nil }
        func number(_ key: String, default fallback: Double) -> Double {
            coder.containsValue(forKey: key) ? coder.decodeDouble(forKey: key) : fallback
        }
        coordinate = CLLocationCoordinate2D(
            latitude: coder.decodeDouble(forKey: Key.latitude), longitude: coder.decodeDouble(forKey: Key.longitude))
        altitude = number(Key.altitude, default: 0)
        horizontalAccuracy = number(Key.horizontalAccuracy, default: 0)
        verticalAccuracy = number(Key.verticalAccuracy, default: -1)
        course = number(Key.course, default: -1)
        courseAccuracy = number(Key.courseAccuracy, default: -1)
        speed = number(Key.speed, default: -1)
        speedAccuracy = number(Key.speedAccuracy, default: -1)
        timestamp = Date(timeIntervalSinceReferenceDate: number(Key.timestamp, default: 0))
        super.init()
    }

    /// Writes the location to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(coordinate.latitude, forKey: Key.latitude)
        coder.encode(coordinate.longitude, forKey: Key.longitude)
        coder.encode(altitude, forKey: Key.altitude)
        coder.encode(horizontalAccuracy, forKey: Key.horizontalAccuracy)
        coder.encode(verticalAccuracy, forKey: Key.verticalAccuracy)
        coder.encode(course, forKey: Key.course)
        coder.encode(courseAccuracy, forKey: Key.courseAccuracy)
        coder.encode(speed, forKey: Key.speed)
        coder.encode(speedAccuracy, forKey: Key.speedAccuracy)
        coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: Key.timestamp)
    }
}
