internal import Foundation

// The objects of CloudKit that `NSPredicate(format:)` takes as arguments.

#if compiler(<6.4)
    extension CKRecord: CVarArg, _CVarArgObject {}
    extension CKRecordID: CVarArg, _CVarArgObject {}
    extension CKReference: CVarArg, _CVarArgObject {}
    extension CKRecordZoneID: CVarArg, _CVarArgObject {}
    extension CLLocation: CVarArg, _CVarArgObject {}
#endif
