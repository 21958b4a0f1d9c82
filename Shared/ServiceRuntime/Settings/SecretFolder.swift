internal import FoundationEssentials

/// A folder with one file for each secret, as mounted by container runtimes.
///
/// This type replaces swift-configuration's own provider. That provider skips symbolic links, but Kubernetes mounts
/// every secret as a symbolic link. It also fails if the folder contains a file that does not belong to the service.
enum SecretFolder {
    /// Returns the text of each secret in `declared` that has a file, without trailing newlines.
    ///
    /// - Throws: a ``SettingRefusal`` if the folder or one of these files cannot be read.
    static func texts(of declared: [any DeclaredSetting], in folder: String) throws(SettingRefusal)
        -> [SettingName: String]
    {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder else {
            throw SettingRefusal("must name a folder")
        }
        var texts: [SettingName: String] = [:]
        for setting in declared where setting.isSecret {
            let path = "\(folder)/\(setting.name.secretFile)"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            guard let data = FileManager.default.contents(atPath: path), var text = String(bytes: data, encoding: .utf8)
            else {
                throw SettingRefusal("must name a folder whose file \(setting.name.secretFile) can be read as UTF-8")
            }
            while text.last?.isNewline == true { text.removeLast() }
            texts[setting.name] = text
        }
        return texts
    }
}
