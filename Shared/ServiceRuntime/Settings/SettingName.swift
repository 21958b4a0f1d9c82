internal import Configuration

/// The key of a setting, and its spelling in each source.
///
/// `asset.uploadLife` is `ZONDA_ASSET_UPLOAD_LIFE` in the environment, `--asset-upload-life` on the command line,
/// `{"asset": {"uploadLife": …}}` in the file and, if it is secret, `asset-upload-life` in the secrets folder.
package struct SettingName: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The path in the settings file: names of one or more words in `camelCase`, joined by dots.
    package let key: String

    /// Creates a name from its key.
    package init(stringLiteral key: String) { self.key = key }

    /// The name of the environment variable.
    package var variable: String { "ZONDA_" + words.joined(separator: "_").uppercased() }

    /// The command-line option.
    package var option: String { "--" + words.joined(separator: "-") }

    /// The name of the file in the secrets folder.
    package var secretFile: String { words.joined(separator: "-") }

    /// The key with which swift-configuration looks up the setting.
    var path: AbsoluteConfigKey { AbsoluteConfigKey(key.split(separator: ".").map(String.init), context: [:]) }

    private var words: [String] {
        var words = [""]
        for character in key {
            if character == "." || character.isUppercase { words.append("") }
            if character != "." { words[words.count - 1] += character.lowercased() }
        }
        return words
    }
}
