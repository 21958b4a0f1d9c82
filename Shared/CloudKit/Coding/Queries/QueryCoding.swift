internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import Foundation

/// The conversion of queries to the dictionaries of the web interface (web-services 3.7).
enum QueryCoding {
    /// Returns the dictionary of a query.
    ///
    /// - Throws: `invalidArguments` if no query can use the predicate or a sort descriptor.
    static func wire(of query: CKQuery) throws(CKError) -> WireQuery {
        var sorts: [Sort] = []
        for descriptor in query.sortDescriptors ?? [] { sorts.append(try sort(of: descriptor)) }
        let predicate = try predicate(of: query.predicate)
        return CloudKitQuery.Query(recordType: query.recordType, predicate: predicate, sorts: sorts).wire
    }

    /// Returns the condition of a query or a subscription.
    ///
    /// - Throws: `invalidArguments` if no query can use the predicate.
    static func predicate(of predicate: NSPredicate) throws(CKError) -> CloudKitQuery.Predicate {
        do {
            return try QueryPredicate.predicate(of: predicate)
        } catch {
            throw CKError(.invalidArguments, error.message)
        }
    }

    /// Returns the predicate for a condition that a server has returned.
    static func predicate(of predicate: CloudKitQuery.Predicate) -> NSPredicate {
        NSPredicate(format: predicate.format, argumentArray: nil)
    }

    private static func sort(of descriptor: NSSortDescriptor) throws(CKError) -> Sort {
        guard let key = descriptor.key, !key.isEmpty else {
            throw CKError(
                .invalidArguments,
                "The sort descriptor \(descriptor) has no key. Create it with NSSortDescriptor(key:ascending:).")
        }
        let place = (descriptor as? CKLocationSortDescriptor)?.relativeLocation.coordinate
        return Sort(
            QueryKey(predicateName: key), ascending: descriptor.ascending,
            relativeLocation: place.map { Location(latitude: $0.latitude, longitude: $0.longitude) })
    }
}
