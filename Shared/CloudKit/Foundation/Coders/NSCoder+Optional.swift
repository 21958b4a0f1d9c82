internal import Foundation

extension NSCoder {
    /// Decodes an object that an archive may lack. Without the check, the whole archive could not be read.
    func optionalObject<Object: NSObject & NSCoding>(of type: Object.Type, forKey key: String) -> Object? {
        containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
    }
}
