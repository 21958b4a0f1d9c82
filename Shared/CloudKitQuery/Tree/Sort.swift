package import CloudKitModel

/// A sort descriptor. Records without the field come last in both directions. Strings are sorted by Unicode scalars.
/// Ties are ordered by record name.
package struct Sort: Hashable, Sendable {
    /// The field. It must be a location if ``relativeLocation`` is set.
    package var key: QueryKey
    /// Whether the order is ascending, with the smallest value first.
    package var ascending: Bool
    /// The location from which distances are measured, to sort by great-circle distance (`CKLocationSortDescriptor`,
    /// `relativeLocation`); nil to sort by value.
    package var relativeLocation: Location?

    /// Creates a sort descriptor.
    package init(_ key: QueryKey, ascending: Bool = true, relativeLocation: Location? = nil) {
        self.key = key
        self.ascending = ascending
        self.relativeLocation = relativeLocation
    }
}
