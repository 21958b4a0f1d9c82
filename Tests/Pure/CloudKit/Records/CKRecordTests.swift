import CloudKit
import Testing

@Suite struct CKRecordTests {}
