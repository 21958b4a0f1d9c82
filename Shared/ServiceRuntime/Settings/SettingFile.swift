internal import FoundationEssentials

/// A JSON settings file: `{"asset": {"grace": "7d", "maxBytes": 1048576}}`.
///
/// This type replaces swift-configuration's own provider. That provider cannot list the keys of a file, so misspelled
/// keys would be ignored, and it reads `true` as 1.
struct SettingFile {
    /// The text of each key, including unknown keys.
    let texts: [SettingName: String]

    /// Reads and parses a file.
    ///
    /// - Throws: a ``SettingRefusal``, which repeats names from the file but no values.
    init(path: String) throws(SettingRefusal) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SettingRefusal("must name a file that can be read")
        }
        do {
            var texts: [SettingName: String] = [:]
            try JSONDecoder().decode(Node.self, from: data).collect(into: &texts, at: [])
            self.texts = texts
        } catch let refusal as SettingRefusal {
            throw refusal
        } catch {
            guard let path = (error as? DecodingError)?.path, !path.isEmpty else {
                throw SettingRefusal("must name a UTF-8 JSON file that contains an object of settings")
            }
            throw SettingRefusal("must name a JSON file whose \(Self.key(path)) is a string, number or boolean")
        }
    }

    private static func key(_ path: [any CodingKey]) -> String {
        path.map(\.stringValue).joined(separator: ".")
    }

    /// Refuses empty names and names with dots, so that each setting has only one place in the file.
    private static func check(_ name: Key, in path: [any CodingKey]) throws(SettingRefusal) {
        guard name.stringValue.isEmpty || name.stringValue.contains(".") else { return }
        let place = path.isEmpty ? "" : " in \(key(path))"
        throw SettingRefusal(
            "must name a JSON file whose member names are not empty and contain no dot, unlike '\(name.stringValue)'\(place)"
        )
    }

    /// An object, or the text of a setting.
    private enum Node: Decodable {
        case object([String: Node])
        case text(String)

        init(from decoder: any Decoder) throws {
            if let members = try? decoder.container(keyedBy: Key.self) {
                var object: [String: Node] = [:]
                for key in members.allKeys {
                    try SettingFile.check(key, in: decoder.codingPath)
                    object[key.stringValue] = try members.decode(Node.self, forKey: key)
                }
                self = .object(object)
                return
            }
            let value = try decoder.singleValueContainer()
            if decoder.codingPath.isEmpty {
                throw DecodingError.dataCorruptedError(in: value, debugDescription: "not an object")
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let flag = try? value.decode(Bool.self) {
                self = .text("\(flag)")
            } else if let number = try? value.decode(Int.self) {
                self = .text("\(number)")
            } else {
                self = .text("\(try value.decode(Double.self))")
            }
        }

        func collect(into texts: inout [SettingName: String], at path: [String]) {
            switch self {
            case .text(let text): texts[SettingName(stringLiteral: path.joined(separator: "."))] = text
            case .object(let members):
                for (name, node) in members { node.collect(into: &texts, at: path + [name]) }
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension DecodingError {
    /// The position of the error in the file.
    fileprivate var path: [any CodingKey]? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath
        @unknown default: nil
        }
    }
}
