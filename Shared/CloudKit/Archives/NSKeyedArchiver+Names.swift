public import Foundation

extension NSKeyedArchiver {
    /// Returns the archive of an object. CloudKit's classes have the names that they have in Apple's archives.
    ///
    /// Swift prefers this function to Foundation's, which on Linux writes the name of the module too. An archiver that an
    /// application makes itself still writes these names; archives with both can be read.
    public static func archivedData<Object>(withRootObject object: Object, requiringSecureCoding: Bool) throws -> Data
    where Object: NSObject, Object: NSSecureCoding {
        let archiver = NSKeyedArchiver(requiringSecureCoding: requiringSecureCoding)
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        if let error = archiver.error { throw error }
        return ArchivedClasses.renamed(archiver.encodedData)
    }
}
