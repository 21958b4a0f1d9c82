internal import Foundation

/// Archives of queries contain the keys and directions of sort descriptors, and the locations of those that sort by
/// distance, because sort descriptors cannot be archived on Linux.
extension NSSortDescriptor {
    private struct Archived: Codable {
        var key: String?
        var ascending: Bool
        var latitude: Double?
        var longitude: Double?
    }

    /// Encodes sort descriptors; nil if there are none.
    static func encode(_ descriptors: [NSSortDescriptor]?, in coder: NSCoder, forKey key: String) {
        let archived = descriptors?.map { descriptor in
            let place = (descriptor as? CKLocationSortDescriptor)?.relativeLocation.coordinate
            return Archived(
                key: descriptor.key, ascending: descriptor.ascending, latitude: place?.latitude,
                longitude: place?.longitude)
        }
        guard let archived, let data = try? JSONEncoder().encode(archived) else { return }
        coder.encode(data as NSData, forKey: key)
    }

    /// Decodes sort descriptors that ``encode(_:in:forKey:)`` has encoded.
    static func decoded(from coder: NSCoder, forKey key: String) -> [NSSortDescriptor]? {
        guard let data = coder.optionalObject(of: NSData.self, forKey: key) as Data?,
            let archived = try? JSONDecoder().decode([Archived].self, from: data)
        else { return nil }
        return archived.map { archived in
            guard let latitude = archived.latitude, let longitude = archived.longitude else {
                return NSSortDescriptor(key: archived.key, ascending: archived.ascending)
            }
            return CKLocationSortDescriptor(
                key: archived.key ?? "", relativeLocation: CLLocation(latitude: latitude, longitude: longitude))
        }
    }
}
