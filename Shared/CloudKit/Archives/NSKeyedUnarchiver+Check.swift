public import Foundation

extension NSKeyedUnarchiver {
    /// Reads the object of an archive.
    ///
    /// Swift prefers this function to Foundation's, which on Linux ends the process if the archive contains an object of an
    /// unexpected class.
    ///
    /// - Throws: `CocoaError.coderReadCorrupt` if the data is not an archive, or contains an object of another class.
    public static func unarchivedObject<DecodedObjectType>(
        ofClass cls: DecodedObjectType.Type, from data: Data
    ) throws -> DecodedObjectType? where DecodedObjectType: NSObject, DecodedObjectType: NSSecureCoding {
        try ArchiveCheck(data).check(root: cls)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        let object = unarchiver.decodeObject(of: cls, forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        return object
    }
}
