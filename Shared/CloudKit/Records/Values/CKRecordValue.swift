public import Foundation

/// Anything that can be the value of a record's field, as Objective-C sees it.
///
/// On Linux, Swift's own types conform too, because they are not bridged to Foundation's classes.
public protocol __CKRecordObjCValue {}

/// Anything that can be the value of a record's field, in the form that ``CKRecord/object(forKey:)`` returns.
public typealias CKRecordValue = __CKRecordObjCValue

/// Anything that can be the value of a record's field.
public protocol CKRecordValueProtocol {}

extension String: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Bool: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int8: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int16: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int32: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int64: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt8: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt16: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt32: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt64: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Float: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Double: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Date: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Data: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
extension Array: __CKRecordObjCValue where Element: __CKRecordObjCValue {}

extension NSString: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSNumber: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSArray: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSDate: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSData: CKRecordValueProtocol, __CKRecordObjCValue {}

extension CKReference: CKRecordValueProtocol, __CKRecordObjCValue {}
extension CKAsset: CKRecordValueProtocol, __CKRecordObjCValue {}
extension CLLocation: CKRecordValueProtocol, __CKRecordObjCValue {}
