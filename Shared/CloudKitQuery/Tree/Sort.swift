package import CloudKitModel

/// One sort descriptor. Records without the field come last, in both directions; strings are sorted by their Unicode
/// scalars; ties go by record name.
package struct Sort: Hashable, Sendable {
    /// The field, or the place it is sorted around.
    package var key: QueryKey
    /// Smallest first.
    package var ascending: Bool
    /// Sorted by the great-circle distance from here (`CKLocationSortDescriptor`, `relativeLocation`).
    package var relativeLocation: Location?

    /// A sort descriptor.
    package init(_ key: QueryKey, ascending: Bool = true, relativeLocation: Location? = nil) {
        self.key = key
        self.ascending = ascending
        self.relativeLocation = relativeLocation
    }
}
