import CloudKitWire

extension JSONValue {
    /// Returns the value as indented text. Arrays and objects that fit on one line are not broken.
    ///
    /// - Parameters:
    ///   - margin: the indentation of the value, in characters.
    ///   - width: the maximum width, in characters, of a line that can be broken.
    package func indented(margin: Int = 0, width: Int = 120) -> String {
        let line = text
        if margin + line.count <= width { return line }
        let inner = String(repeating: " ", count: margin + 2)
        let end = "\n" + String(repeating: " ", count: margin)
        switch self {
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { "\n" + inner + $0.indented(margin: margin + 2, width: width) }
            return "[\(lines.joined(separator: ","))\(end)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { member in
                "\n\(inner)\(JSONValue.string(member.key).text): "
                    + member.value.indented(margin: margin + 2, width: width)
            }
            return "{\(lines.joined(separator: ","))\(end)}"
        default: return line
        }
    }
}
