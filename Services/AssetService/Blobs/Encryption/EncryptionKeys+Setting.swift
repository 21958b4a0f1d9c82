internal import FoundationEssentials
package import ServiceRuntime

extension SettingType where Value == Secret {
    /// The path of a file that contains ``EncryptionKeys``. Errors never quote the value, because it might be the keys
    /// themselves.
    package static var encryptionKeysFile: Self {
        SettingType("path", isQuoted: false) { path throws(SettingRefusal) in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw SettingRefusal("must name a file that can be read")
            }
            do {
                _ = try EncryptionKeys(parsing: text)
            } catch {
                throw SettingRefusal("must name a file that contains keys: \(error)")
            }
            return Secret(text)
        }
    }
}
