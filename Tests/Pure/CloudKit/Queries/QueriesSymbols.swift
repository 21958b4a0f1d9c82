import CloudKit

// Names every documented symbol of this group. If one is missing or has other labels, this file does not compile.

private func ckLocationSortDescriptor(_ object: CKLocationSortDescriptor) {
    _ = CKLocationSortDescriptor.init(coder:)
    _ = CKLocationSortDescriptor.init(key:relativeLocation:)
    _ = CKLocationSortDescriptor.self
    _ = object.relativeLocation
}

private func ckQuery(_ object: CKQuery) {
    _ = CKQuery.init(coder:)
    _ = CKQuery.init(recordType:predicate:)
    _ = CKQuery.self
    _ = object.predicate
    _ = object.recordType
    _ = object.sortDescriptors
}
