public import Foundation

extension NSKeyedUnarchiver {
    /// Reads the object of an archive.
    ///
    /// Swift prefers this function to Foundation's, which on Linux ends the process if the archive contains an object of an
    /// unexpected class. For classes that are not CloudKit's, it does what Foundation's does.
    ///
    /// - Throws: `CocoaError.coderReadCorrupt` if the data is not an archive, or contains an object of another class.
    public static func unarchivedObject<DecodedObjectType>(
        ofClass cls: DecodedObjectType.Type, from data: Data
    ) throws -> DecodedObjectType? where DecodedObjectType: NSObject, DecodedObjectType: NSSecureCoding {
        let isChecked = ArchivedClasses.names[ObjectIdentifier(cls)] != nil
        if isChecked { try ArchiveCheck(data).check(root: cls) }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        // After the check, objects of other classes cannot be made, and one in the wrong place is an error.
        unarchiver.requiresSecureCoding = !isChecked
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        guard isChecked else {
            let object = unarchiver.decodeObject(of: cls, forKey: NSKeyedArchiveRootObjectKey)
            if let error = unarchiver.error { throw error }
            return object
        }
        let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        guard let object = object as? DecodedObjectType else { throw CocoaError(.coderReadCorrupt) }
        return object
    }
}
