public import Foundation

// Arguments of `NSPredicate(format:)`. On Linux only numbers and strings can be passed to a function with a variable
// number of arguments; on Apple's systems every object can, and values such as dates as the objects that they bridge to.
// Foundation's main branch declares the conformance of all objects itself; until then, those that predicates compare
// have it, one by one, because `NSString` must keep its own.
//
// `%@` in other functions, such as `String(format:)`, prints the description: Foundation on Linux cannot format most
// objects, and some end the process.

extension _CVarArgObject where Self: CustomStringConvertible {
    /// The description.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }

    /// The encoding of the description. Callers encode and retain ``_cVarArgObject`` themselves.
    public var _cVarArgEncoding: [Int] { NSString(string: description)._cVarArgEncoding }
}

#if compiler(<6.4)
    extension NSNumber: @retroactive CVarArg, @retroactive _CVarArgObject {}
    extension NSDate: @retroactive CVarArg, @retroactive _CVarArgObject {}
    extension NSData: @retroactive CVarArg, @retroactive _CVarArgObject {}
    extension NSArray: @retroactive CVarArg, @retroactive _CVarArgObject {}
    extension NSSet: @retroactive CVarArg, @retroactive _CVarArgObject {}
    extension NSOrderedSet: @retroactive CVarArg, @retroactive _CVarArgObject {}
    extension NSDictionary: @retroactive CVarArg, @retroactive _CVarArgObject {}
    extension NSNull: @retroactive CVarArg, @retroactive _CVarArgObject {}
    extension NSURL: @retroactive CVarArg, @retroactive _CVarArgObject {}
    extension NSUUID: @retroactive CVarArg, @retroactive _CVarArgObject {}
#endif

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Set: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject {}
