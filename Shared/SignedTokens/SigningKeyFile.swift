/// The contents of a key file (`ZONDA_SIGNING_KEYS_FILE`).
///
/// A line of the form `id:64 hexadecimal digits` is a secret of the deployment, from which the keys for all purposes
/// are derived. A line of the form `id:purpose:64 hexadecimal digits` is a key derived for one purpose. A holder of
/// derived keys cannot sign for other purposes.
package struct SigningKeyFile: Hashable, Sendable {
    /// One key.
    package struct Line: Hashable, Sendable {
        /// The identifier that relates signatures to a key. A secret and the keys derived from it have the same
        /// identifier.
        let id: String
        /// The purpose for which the key was derived; nil for a secret of the deployment.
        let purpose: SigningKeys.Purpose?
        /// The 32 bytes of the secret or derived key.
        let secret: [UInt8]

        /// Returns the key for a purpose; nil if this key was derived for another purpose.
        func key(for wanted: SigningKeys.Purpose) -> [UInt8]? {
            guard let purpose else { return SigningKeys.derive(wanted, from: secret) }
            return purpose == wanted ? secret : nil
        }

        /// The line in the file's format.
        var text: String {
            ([id] + (purpose.map { [$0.name] } ?? []) + [Hexadecimal.encode(secret)]).joined(separator: ":")
        }
    }

    /// The keys in file order. The first key for a purpose signs.
    package let lines: [Line]

    /// Parses the contents of a key file.
    ///
    /// - Throws: ``SigningKeys/FileError`` if there is no key or a line is malformed.
    package init(parsing text: String) throws(SigningKeys.FileError) {
        var lines: [Line] = []
        for (index, line) in text.split(whereSeparator: \.isNewline).enumerated() where !line.hasPrefix("#") {
            guard let line = Self.line(line) else {
                throw SigningKeys.FileError(
                    description: "line \(index + 1) must have the form ID:KEY or ID:PURPOSE:KEY, "
                        + "where KEY is 64 hexadecimal digits")
            }
            lines.append(line)
        }
        guard !lines.isEmpty else { throw SigningKeys.FileError(description: "there is no key") }
        self.lines = lines
    }

    /// The lines that contain secrets of the deployment.
    package var secrets: [Line] { lines.filter { $0.purpose == nil } }

    /// Returns the contents of a file with the keys that are derived from these secrets for `purposes`.
    package func derived(for purposes: [SigningKeys.Purpose]) -> String {
        secrets.flatMap { secret in
            purposes.map { purpose in
                Line(
                    id: secret.id, purpose: purpose,
                    secret: SigningKeys.derive(purpose, from: secret.secret)
                ).text + "\n"
            }
        }.joined()
    }

    private static func line(_ text: Substring) -> Line? {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, !parts[0].isEmpty, let digits = parts.last,
            let secret = Hexadecimal.decode(digits.filter { $0 != " " }), secret.count == 32
        else { return nil }
        guard parts.count == 3 else { return Line(id: String(parts[0]), purpose: nil, secret: secret) }
        guard let purpose = SigningKeys.Purpose.allCases.first(where: { $0.name == parts[1] }) else { return nil }
        return Line(id: String(parts[0]), purpose: purpose, secret: secret)
    }
}
