internal import Foundation

/// Checks the classes of an archive before its objects are made.
struct ArchiveCheck {
    private let objects: [Any]

    /// Reads the table of an archive's objects.
    ///
    /// - Throws: `CocoaError.coderReadCorrupt`.
    init(_ data: Data) throws {
        guard let plist = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil),
            let archive = plist as? [String: Any], let objects = archive["$objects"] as? [Any]
        else { throw Self.corrupt("The data is not an archive.") }
        self.objects = objects
    }

    /// Checks that the archive contains only the class that is asked for, CloudKit's classes, and the classes of
    /// Foundation that these contain.
    func check(root: AnyClass) throws {
        let known = Set(ArchivedClasses.all.map(\.name)).union(ArchivedClasses.foundation)
            .union(["\(root)", NSStringFromClass(root)])
        var isThere = false
        for case let object as [String: Any] in objects {
            guard let chain = object["$classes"] as? [String], let name = chain.first else { continue }
            guard known.contains(name) else {
                throw Self.corrupt("The archive contains an object of the class \(name).")
            }
            isThere = isThere || chain.contains { Self.isName($0, of: root) }
        }
        guard isThere || ArchivedClasses.foundation.contains("\(root)") else {
            throw Self.corrupt("The archive contains no object of the class \(root).")
        }
    }

    private static func isName(_ name: String, of type: AnyClass) -> Bool {
        name == ArchivedClasses.names[ObjectIdentifier(type)] || name == "\(type)" || name.hasSuffix(".\(type)")
    }

    private static func corrupt(_ explanation: String) -> any Error {
        CocoaError(.coderReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: explanation])
    }
}
