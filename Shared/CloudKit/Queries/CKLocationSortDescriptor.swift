public import Foundation

/// An order of records by their distance from a location, nearest first.
open class CKLocationSortDescriptor: NSSortDescriptor, NSSecureCoding, KeyedSorting {
    let sortedKey: String?
    /// The location from which distances are measured.
    public let relativeLocation: CLLocation

    /// Creates an order by the distance of the locations in a field.
    public init(key: String, relativeLocation: CLLocation) {
        sortedKey = key
        self.relativeLocation = relativeLocation
        // Foundation's class has no key. `compare(_:to:)` does not use this key path.
        super.init(keyPath: \NSObject.hash, ascending: true)
    }

    /// Creates an order from an archive.
    public required init?(coder aDecoder: NSCoder) {
        guard aDecoder.containsValue(forKey: Self.latitude),
            let key = aDecoder.decodeObject(of: NSString.self, forKey: Self.key) as String?
        else { return nil }
        sortedKey = key
        relativeLocation = CLLocation(
            latitude: aDecoder.decodeDouble(forKey: Self.latitude),
            longitude: aDecoder.decodeDouble(forKey: Self.longitude))
        super.init(keyPath: \NSObject.hash, ascending: true)
    }

    private static let key = "NSKey"
    private static let latitude = "Latitude"
    private static let longitude = "Longitude"

    /// Whether the class supports secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the field and the location's coordinates.
    open func encode(with coder: NSCoder) {
        coder.encode((sortedKey ?? "") as NSString, forKey: Self.key)
        coder.encode(relativeLocation.coordinate.latitude, forKey: Self.latitude)
        coder.encode(relativeLocation.coordinate.longitude, forKey: Self.longitude)
    }

    /// Compares the distances of two records or dictionaries. An object without the field comes last.
    open override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        switch (distance(of: object1), distance(of: object2)) {
        case (nil, nil): .orderedSame
        case (nil, _): .orderedDescending
        case (_, nil): .orderedAscending
        case (let distance?, let other?):
            distance < other ? .orderedAscending : distance > other ? .orderedDescending : .orderedSame
        }
    }

    private func distance(of object: Any) -> Double? {
        let subject = object as? any PredicateSubject ?? (object as? [String: Any]).map { $0 as NSDictionary }
        guard let key = sortedKey, let place = subject?.predicateValue(forKey: key) as? CLLocation else { return nil }
        return place.distance(from: relativeLocation)
    }

    /// Returns the order itself, because it is immutable.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    /// A hash of the field's name.
    open override var hash: Int { sortedKey.hashValue }

    /// Returns whether the other object sorts by the same field and location.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKLocationSortDescriptor, other.sortedKey == sortedKey else { return false }
        let place = relativeLocation.coordinate
        let otherPlace = other.relativeLocation.coordinate
        return place.latitude == otherPlace.latitude && place.longitude == otherPlace.longitude
    }
}
