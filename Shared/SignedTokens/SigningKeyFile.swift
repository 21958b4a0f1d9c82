/// The text of a file of keys (`ZONDA_SIGNING_KEYS_FILE`): lines of `id:64 hexadecimal digits`, each a secret of the
/// deployment from which the keys for all purposes are derived, or of `id:purpose:64 hexadecimal digits`, each a key that
/// was derived for one purpose. Who has derived keys only cannot sign for another purpose.
package struct SigningKeyFile: Hashable, Sendable {
    /// One key.
    package struct Line: Hashable, Sendable {
        /// By which its signatures are known; the same for a secret and the keys derived from it.
        let id: String
        /// What it was derived for; nil: it is a secret of the deployment.
        let purpose: SigningKeys.Purpose?
        /// 32 bytes.
        let secret: [UInt8]

        /// The key for a purpose; nil when this one was derived for another.
        func key(for wanted: SigningKeys.Purpose) -> [UInt8]? {
            guard let purpose else { return SigningKeys.derive(wanted, from: secret) }
            return purpose == wanted ? secret : nil
        }

        /// The line as the file has it.
        var text: String {
            ([id] + (purpose.map { [$0.name] } ?? []) + [Hexadecimal.encode(secret)]).joined(separator: ":")
        }
    }

    /// The keys in their order. Of those for a purpose the first signs.
    package let lines: [Line]

    /// Reads a text.
    ///
    /// - Throws: ``SigningKeys/FileError`` when it has no key or a line of another form.
    package init(parsing text: String) throws(SigningKeys.FileError) {
        var lines: [Line] = []
        for (index, line) in text.split(whereSeparator: \.isNewline).enumerated() where !line.hasPrefix("#") {
            guard let line = Self.line(line) else {
                throw SigningKeys.FileError(
                    description: "line \(index + 1) is not of the form id:64 hexadecimal digits"
                        + " or id:purpose:64 hexadecimal digits")
            }
            lines.append(line)
        }
        guard !lines.isEmpty else { throw SigningKeys.FileError(description: "there is no key") }
        self.lines = lines
    }

    /// The deployment's secrets among the lines.
    package var secrets: [Line] { lines.filter { $0.purpose == nil } }

    /// The text of a file with the keys that these secrets give for some purposes.
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
