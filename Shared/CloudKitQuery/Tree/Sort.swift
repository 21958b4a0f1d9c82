package import CloudKitModel

/// A sort descriptor. Records without the field come last, in both directions. Strings are sorted by their Unicode
/// scalars. Ties are ordered by record name.
package struct Sort: Hashable, Sendable {
    /// The field, which holds locations if ``relativeLocation`` is set.
    package var key: QueryKey
    /// Whether the smallest value comes first.
    package var ascending: Bool
    /// The location by whose great-circle distance to sort (`CKLocationSortDescriptor`, `relativeLocation`).
    package var relativeLocation: Location?

    /// Creates a sort descriptor.
    package init(_ key: QueryKey, ascending: Bool = true, relativeLocation: Location? = nil) {
        self.key = key
        self.ascending = ascending
        self.relativeLocation = relativeLocation
    }
}
