/// A point on the earth, with optional measurements from the client's receiver. Replies contain only the measurements
/// that were saved.
package struct Location: Hashable, Sendable {
    /// In degrees north of the equator.
    package var latitude: Double
    /// In degrees east of Greenwich.
    package var longitude: Double
    /// In metres. Clients send -1 if the accuracy is unknown.
    package var horizontalAccuracy: Double?
    /// In metres. Clients send -1 if the accuracy is unknown.
    package var verticalAccuracy: Double?
    /// In metres.
    package var altitude: Double?
    /// In metres per second.
    package var speed: Double?
    /// In degrees clockwise from north.
    package var course: Double?
    /// Milliseconds since 1970-01-01 UTC.
    package var timestamp: Int64?

    /// Creates a location with only coordinates.
    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}
