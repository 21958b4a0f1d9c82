/// A point on the earth, with optional measurements by the client's receiver. Replies contain only the measurements
/// that were saved.
package struct Location: Hashable, Sendable {
    /// Degrees north.
    package var latitude: Double
    /// Degrees east.
    package var longitude: Double
    /// Metres. Clients send -1 if it is unknown.
    package var horizontalAccuracy: Double?
    /// Metres. Clients send -1 if it is unknown.
    package var verticalAccuracy: Double?
    /// Metres.
    package var altitude: Double?
    /// Metres per second.
    package var speed: Double?
    /// Degrees clockwise from north.
    package var course: Double?
    /// Milliseconds since 1970-01-01 UTC.
    package var timestamp: Int64?

    /// Creates a location with only coordinates.
    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}
