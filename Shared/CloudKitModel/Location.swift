/// A place on earth, with what the client's receiver told about it. Only what was given is given back.
package struct Location: Hashable, Sendable {
    /// Degrees north.
    package var latitude: Double
    /// Degrees east.
    package var longitude: Double
    /// Metres; clients send -1 for unknown.
    package var horizontalAccuracy: Double?
    /// Metres; clients send -1 for unknown.
    package var verticalAccuracy: Double?
    /// Metres.
    package var altitude: Double?
    /// Metres a second.
    package var speed: Double?
    /// Degrees clockwise from north.
    package var course: Double?
    /// Milliseconds since 1970-01-01 UTC.
    package var timestamp: Int64?

    /// A place, the other values unknown.
    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}
